# Three images: `stopgo`, in which every service of ours runs (the command says which), `registry`, the same with git and ssh for
# the one service that needs them, and `nats`, the event log's server with the configuration that keeps what it acknowledged.
# docker-compose.yaml builds them; `docker build --target stopgo .` makes the first alone.
#
# None has a HEALTHCHECK: what is healthy depends on the command, so docker-compose.yaml says it beside each command.

FROM node:24-bookworm-slim AS node
WORKDIR /app
ENV NPM_CONFIG_UPDATE_NOTIFIER=false

# What an install reads. A change of the code leaves this stage's files as they were, and the installs below are not run again.
FROM node AS manifests
COPY . .
RUN find . -type f ! -name package.json ! -name package-lock.json ! -name .npmrc ! -path '*/bin/*' -delete \
    && find . -type d -empty -delete

FROM node AS build
COPY --from=manifests /app ./
RUN --mount=type=cache,target=/root/.npm \
    npm ci --include-workspace-root -w cli -w mcp-servers/filesystem -w mcp-servers/resources -w offline-model -w services/web
COPY . .
RUN node_modules/.bin/tsc -b tsconfig.build.json && node scripts/bundle-program.mjs && node scripts/build-web.mjs \
    && find packages services mcp-servers offline-model cli -name node_modules -prune \
        -o \( -path '*/dist/*.js' -o -path '*/dist/public/*' -type f \) -exec cp --parents -t /srv {} +

FROM node AS dependencies
COPY --from=manifests /app ./
# What only compilers and debuggers read goes, and so does the native module for another C library than this image's.
RUN --mount=type=cache,target=/root/.npm \
    npm ci --omit=dev -w cli -w mcp-servers/filesystem -w mcp-servers/resources -w offline-model \
    && rm -rf node_modules/@libsql/*-musl \
    && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete

FROM nats:2-alpine AS nats
# A new volume takes over the owner of the folder that it is mounted on.
RUN mkdir -p /data && chown 1000:1000 /data && chmod 700 /data
COPY config/nats-server.conf /etc/nats/nats-server.conf
USER 1000:1000
ENTRYPOINT ["nats-server", "--config", "/etc/nats/nats-server.conf"]
CMD []

FROM node AS stopgo
LABEL org.opencontainers.image.title="Stop and Go" org.opencontainers.image.licenses="Apache-2.0"
# The room for young objects: with twice the default a turn costs a tenth less CPU.
ENV NODE_ENV=production NODE_OPTIONS=--max-semi-space-size=32 PATH=/app/node_modules/.bin:$PATH
RUN mkdir /data && chown 1000:1000 /data && chmod 700 /data
COPY --from=dependencies /app ./
COPY --from=build /srv ./
COPY config/agent.compose.yaml /etc/stopgo/agent.yaml
COPY config/web.compose.yaml /etc/stopgo/web.yaml
# A volume of the image, and not of the composition, is made for each container: no two replicas of the store share one.
VOLUME /data
USER 1000:1000
ENTRYPOINT []
CMD ["stopgo", "--help"]

FROM stopgo AS registry
USER 0:0
RUN apt-get update \
    && apt-get install -y --no-install-recommends git openssh-client ca-certificates \
    && rm -rf /var/lib/apt/lists/*
USER 1000:1000
