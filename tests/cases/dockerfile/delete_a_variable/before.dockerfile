# syntax=docker/dockerfile:1
ARG VERSION=3.12

# What it is built with.
FROM python:${VERSION}-slim AS build
WORKDIR /app
ENV LANG=C.UTF-8 \
    PORT=80

# Tools.
RUN apt-get update \
    && apt-get install -y --no-install-recommends \
        # for downloads
        curl \
        git \
    && rm -rf /var/lib/apt/lists/*
COPY requirements.txt ./
RUN pip install -r requirements.txt
RUN <<EOF
echo a
  echo b
EOF

FROM alpine:3.20
COPY --from=build /app /app
RUN touch /ready
CMD ["python", "-m", "shop"]
