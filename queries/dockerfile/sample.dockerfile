# syntax=docker/dockerfile:1

# The image of a small shop.
ARG VERSION=3.12
ARG TAG="slim"

FROM --platform=$BUILDPLATFORM python:${VERSION:-3.12}-slim AS build
WORKDIR /app
ENV LANG=C.UTF-8 \
    GREETING="Hello, \"$NAME\"" \
    QUOTE='single'
LABEL org.opencontainers.image.title="Shop" "vendor"='us'
SHELL ["/bin/bash", "-c"]

# What it is built with.
RUN --network=none apt-get update \
    && apt-get install -y --no-install-recommends \
        # for downloads
        curl \
        git \
    && rm -rf /var/lib/apt/lists/*
RUN ["pip", "install", "a\tb"]
RUN --mount=type=cache,target=/root/.cache <<EOF
pip install -r requirements.txt
EOF
COPY --from=build --chown=app:app -- setup.py requirements.txt ./
COPY <<TEXT /etc/motd
Welcome.
TEXT
ADD ["orders.tar", "/orders/"]

FROM alpine@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
MAINTAINER The Shop
EXPOSE 80/tcp $PORT
USER app:app
VOLUME /data
VOLUME ["/orders"]
ONBUILD RUN touch /built
STOPSIGNAL $SIGNAL
HEALTHCHECK --interval=5s CMD curl -f http://localhost/
ENTRYPOINT exec shop
CMD ["--serve"]
