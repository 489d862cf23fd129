FROM node:24-slim AS build
WORKDIR /wirebin
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY scripts/browser.mjs scripts/
COPY src src
RUN npm run build

FROM node:24-slim AS dependencies
WORKDIR /wirebin
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --omit=dev

FROM node:24-slim
ENV NODE_ENV=production
WORKDIR /wirebin
COPY --from=dependencies /wirebin/node_modules node_modules
COPY --from=build /wirebin/dist dist
COPY package.json ./
# Here the service keeps the certificate that it makes; mount a volume to keep it for longer.
RUN mkdir certs && chown node:node certs
USER node
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.WIREBIN_PORT ?? 8080}/readyz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/main.js"]
