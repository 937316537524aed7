# The same image with a container engine: docker buildx build --platform linux/amd64,linux/arm64 .
# Without one, "make image" makes it. The compiler runs on the builder's own
# platform and compiles for the target's.
FROM --platform=$BUILDPLATFORM golang:1.26 AS build
ARG TARGETOS TARGETARCH COMMAND=webhook VERSION=dev
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH \
    go build -trimpath -buildvcs=false -ldflags "-s -w -X main.version=$VERSION" -o /out/command ./cmd/$COMMAND

FROM gcr.io/distroless/static:nonroot
COPY --from=build /out/command /command
USER 65532:65532
ENTRYPOINT ["/command"]
