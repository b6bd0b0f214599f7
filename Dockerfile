# syntax=docker/dockerfile:1

FROM node:26-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY vite.config.ts tsconfig.json ./
COPY scripts scripts
COPY public public
COPY shared shared
COPY pwa pwa
RUN npm run build

# The server runs its TypeScript directly: it needs its packages, but nothing that builds.
FROM node:26-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --no-audit --no-fund

FROM node:26-slim
ENV NODE_ENV=production DATABASE_URL=file:/data/tidegate.db SPOOL_DIR=/data/spool
WORKDIR /app
COPY package.json ./
COPY --from=packages /app/node_modules node_modules
COPY shared shared
COPY server server
COPY --from=build /app/dist dist
RUN mkdir /data && chown node:node /data
USER node
# The database file and its key: accounts, balances and logs are gone with the container unless this is a volume.
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s CMD ["node", "server/check-health.ts"]
CMD ["node", "server/main.ts"]
