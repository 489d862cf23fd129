import { VERSION } from '../src/version.ts';

/**
 * Where wirebin is published: `owner/name` at GitHub, undefined if nowhere. The one switch is `repository` in
 * package.json, which the release workflow writes (CONTRIBUTING.md).
 */
export function publishedAt(manifest: string): string | undefined {
  return /"git\+https:\/\/github\.com\/([\w.-]+\/[\w.-]+)\.git"/.exec(manifest)?.[1];
}

/** The sections that say how to get wirebin. @param at see `publishedAt` */
export function publicationPages(at: string | undefined): Record<string, Record<string, string>> {
  return {
    'README.md': { get: readme(at) },
    'docs/library.md': { get: library(at) },
    'docs/install.md': { npm: npm(at), image: image(at), checksums: checksums(at) },
    'docs/recipes/github-actions.md': { get: recipe(at) },
    'docs/recipes/gitlab-ci.md': { get: recipe(at) },
  };
}

const TARBALL = `wirebin-${VERSION}.tgz`;

function readme(at: string | undefined): string {
  return at === undefined
    ? `
\`wirebin\` below and in docs/ is \`npm start --\` in a clone: \`alias wirebin='npm start --'\`. There is no npm package and
no image yet: \`npm pack\` makes a tarball, and \`npm install --global ./${TARBALL}\` installs it.
`
    : `
\`wirebin\` below and in docs/ is \`npm start --\` in a clone (\`alias wirebin='npm start --'\`), and \`npx wirebin\` without.
`;
}

function library(at: string | undefined): string {
  return at === undefined
    ? `
There is no package at npm's registry yet. Make one in a clone, and add it to your project:

    npm ci && npm pack                                     # in the clone; makes ${TARBALL}
    npm install --save-dev ../wirebin/${TARBALL}    # in your project, beside the clone
`
    : `
    npm install --save-dev wirebin
`;
}

function npm(at: string | undefined): string {
  return at === undefined
    ? `
There is no package at npm's registry yet. In a clone:

    npm ci && npm pack                          # makes ${TARBALL}
    npm install --global ./${TARBALL}    # then \`wirebin\`, with its manual page
    npx --yes --package=./${TARBALL} wirebin --port 9000 --tap    # without installing it

The tarball serves on any machine with Node. npm fetches the four packages that it depends on, and what those need.
`
    : `
    npx wirebin                       # serves port 8080, until Ctrl-C
    npx wirebin --port 9000 --tap     # with settings
    npm install --global wirebin      # then \`wirebin\`, with its manual page

The release workflow publishes the package with
[provenance](https://docs.npmjs.com/generating-provenance-statements), which \`npm audit signatures\` verifies.
`;
}

function image(at: string | undefined): string {
  return at === undefined
    ? `
There is no published image yet. The release workflow builds images for amd64 and arm64, with an SBOM and provenance,
and signs them.
`
    : `
Images of releases are built for amd64 and arm64, with an SBOM and provenance. The release workflow signs them:

    cosign verify ${identity(at)} \\
      ghcr.io/${at.toLowerCase()}:${VERSION}
`;
}

function checksums(at: string | undefined): string {
  return at === undefined
    ? `
There is no release yet. A release on GitHub has the package, its SBOM, completions, the manual page and the systemd
unit, and their checksums in \`SHA256SUMS\`, which the release workflow signs.
`
    : `
Each [release on GitHub](https://github.com/${at}/releases) has the package, its SBOM, completions, the manual page and
the systemd unit. \`SHA256SUMS\` has their checksums, and the release workflow signs it:

    sha256sum --check SHA256SUMS
    cosign verify-blob --bundle SHA256SUMS.sigstore.json ${identity(at)} \\
      SHA256SUMS
`;
}

/** Whose signature cosign has to find. */
function identity(at: string): string {
  const workflow = String.raw`https://github.com/${at}/.github/workflows/release.yml@refs/tags/v`;
  return `--certificate-oidc-issuer https://token.actions.githubusercontent.com \\
      --certificate-identity-regexp '^${workflow.replaceAll('.', String.raw`\.`)}'`;
}

function recipe(at: string | undefined): string {
  return at === undefined
    ? `
\`registry.example/wirebin\` stands for the image that the [Dockerfile](../../Dockerfile) builds, and
\`gateway/wirebin.tgz\` for the tarball that \`npm pack\` makes in a clone: neither is published yet.
`
    : `
\`registry.example/wirebin\` stands for \`ghcr.io/${at.toLowerCase()}:${VERSION}\`, and \`gateway/wirebin.tgz\` for the package
of a release; without \`--package=./gateway/wirebin.tgz\`, npx takes the newest from npm.
`;
}
