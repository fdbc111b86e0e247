# One leaf or one spine in a container, as a user that is not root:
#   docker build -t heddle .
#   docker run --cap-add NET_ADMIN --cap-add NET_RAW -v $PWD/leaf1.yaml:/etc/heddle/heddle.yaml:ro heddle
# docs/packaging.md: capabilities, kernel switches, containerlab.
FROM node:24-bookworm-slim AS build
# The native packages are compiled where there is no build of them for this platform, against the headers of this node.
RUN apt-get update && apt-get install -y --no-install-recommends g++ make python3
ENV npm_config_nodedir=/usr/local
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm run build && node scripts/assemble.mjs /opt/heddle

FROM node:24-bookworm-slim
# iproute2 is for people and for heddle tech-support, and brings setcap; setpriv is in every Debian.
RUN apt-get update && apt-get install -y --no-install-recommends iproute2 && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/heddle /opt/heddle
RUN groupadd --gid 10179 heddle \
    && useradd --uid 10179 --gid heddle --no-create-home --home-dir /run/heddle --shell /usr/sbin/nologin heddle \
    && install -d -o heddle -g heddle /run/heddle && install -d /etc/heddle \
    && install -g heddle -m 0750 /usr/bin/setpriv /opt/heddle/packaging/with-capabilities \
    && setcap cap_net_bind_service,cap_net_admin,cap_net_raw,cap_perfmon,cap_bpf=p /opt/heddle/packaging/with-capabilities \
    && ln -s /opt/heddle/bin/heddle /usr/local/bin/heddle
USER heddle
WORKDIR /run/heddle
# It answers as soon as it runs: no session has to be up for that.
HEALTHCHECK --interval=15s --timeout=10s --start-period=30s CMD heddle show summary > /dev/null || exit 1
STOPSIGNAL SIGTERM
ENTRYPOINT ["/opt/heddle/packaging/container-start"]
CMD ["run", "/etc/heddle/heddle.yaml"]
