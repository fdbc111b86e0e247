# One leaf or one spine in a container. It needs NET_ADMIN and NET_RAW, and its configuration at /etc/heddle/heddle.yaml:
#   docker build -t heddle .
#   docker run --cap-add NET_ADMIN --cap-add NET_RAW -v $PWD/leaf1.yaml:/etc/heddle/heddle.yaml:ro heddle
# heddle lab export writes a containerlab topology that uses this image.
FROM node:24-bookworm-slim AS build
# The native packages are compiled where there is no build of them for this platform.
RUN apt-get update && apt-get install -y --no-install-recommends g++ make python3
WORKDIR /opt/heddle
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY scripts scripts
COPY src src
RUN npm run build && npm prune --omit=dev --no-audit --no-fund

FROM node:24-bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends iproute2 procps && rm -rf /var/lib/apt/lists/*
WORKDIR /opt/heddle
COPY --from=build /opt/heddle/node_modules node_modules
COPY --from=build /opt/heddle/dist dist
COPY package.json LICENSE* ./
COPY bin bin
COPY labs labs
COPY scripts scripts
RUN ln -s /opt/heddle/bin/heddle /usr/local/bin/heddle && mkdir -p /run/heddle /etc/heddle
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s CMD heddle show summary || exit 1
ENTRYPOINT ["heddle"]
CMD ["run", "/etc/heddle/heddle.yaml"]
