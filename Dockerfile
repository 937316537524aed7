# The image with a container engine:
#   docker buildx build --platform linux/amd64,linux/arm64 --build-arg VERSION=v1.0.0 --tag registry.example.com/taojob/webhook:v1.0.0 --push .
# Without one, "make image" makes it; docs/images.md tells how the two differ.

# The compiler runs on the builder's own platform and compiles for the target's.
FROM --platform=$BUILDPLATFORM golang:1.26 AS build
ARG COMMAND=webhook
ARG VERSION=dev
ARG TARGETOS
ARG TARGETARCH
WORKDIR /src
COPY go.mod go.sum ./
RUN --mount=type=cache,target=/go/pkg/mod \
    go mod download
COPY . .
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH \
    go build -trimpath -buildvcs=false -ldflags "-s -w -X main.version=$VERSION" -o /out/command ./cmd/$COMMAND

FROM gcr.io/distroless/static:nonroot
ARG COMMAND=webhook
ARG VERSION=dev
ARG REVISION
LABEL org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.revision="$REVISION" \
      org.opencontainers.image.source="https://github.com/taojob/taojob" \
      org.opencontainers.image.title="$COMMAND" \
      org.opencontainers.image.version="$VERSION"
COPY --from=build /out/command /command
USER 65532:65532
ENTRYPOINT ["/command"]
