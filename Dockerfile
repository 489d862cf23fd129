# The base is of one digest in all stages, which Dependabot keeps current: .github/dependabot.yml.
# What is compiled here is the same for every platform, so these stages run on that of the builder.
FROM --platform=$BUILDPLATFORM node:24-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS build
WORKDIR /wirebin
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY tsconfig.json ./
COPY scripts/browser.mjs scripts/build.mjs scripts/compact.mjs scripts/docs.mjs scripts/
COPY docs docs
COPY src src
RUN npm run build && mkdir certs

FROM --platform=$BUILDPLATFORM node:24-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS dependencies
WORKDIR /wirebin
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --omit=dev

# Nothing runs in this stage: no emulator is needed for another platform.
FROM node:24-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
LABEL org.opencontainers.image.title="wirebin" \
  org.opencontainers.image.description="An HTTP test service: HTTP/1.1 and HTTP/2, in cleartext and over TLS, on one port" \
  org.opencontainers.image.version="0.1.0" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.base.name="docker.io/library/node:24-slim"
ENV NODE_ENV=production
WORKDIR /wirebin
COPY --from=dependencies /wirebin/node_modules node_modules
COPY --from=build /wirebin/dist dist
COPY package.json LICENSE docs/NOTICE ./
# Here the service keeps the certificate that it makes; mount a volume to keep it for longer. With a
# read-only root it is kept in memory.
COPY --from=build --chown=1000:1000 /wirebin/certs certs
# By number, so that Kubernetes can tell that it is not root.
USER 1000:1000
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s CMD ["node", "/wirebin/dist/main.js", "health"]
ENTRYPOINT ["node", "/wirebin/dist/main.js"]
