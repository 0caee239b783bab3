# The image of dt-server: docker build --tag dt-server .
# docs/guides/deploy.md explains it. The file is here because `gcloud builds submit` looks for it in the root.
ARG NODE_IMAGE=node:22-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /src
COPY . .
# Installs the versions of pnpm-lock.yaml, builds dt-server, and writes only the files that it needs to run.
RUN node tooling/run.cjs collect apps/server /out

FROM ${NODE_IMAGE}
# git is for the agent's commands. tini removes processes that lost their parent.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates git tini \
  && rm -rf /var/lib/apt/lists/* \
  && install --directory --owner=1000 --group=1000 /data /workspaces
COPY --from=build /out /app
ENV NODE_ENV=production \
  CODER_AGENT_PORT=8080 \
  CODER_AGENT_WORKSPACE_PATH=/workspaces \
  DT_DATA_DIR=/data \
  DT_HOST=0.0.0.0 \
  DT_WORKSPACE_ROOTS=/workspaces
WORKDIR /workspaces
USER 1000:1000
EXPOSE 8080
# The root file system may be read-only: only these directories are written.
VOLUME ["/data", "/tmp", "/workspaces"]
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.CODER_AGENT_PORT}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tini", "--", "node", "/app/dist/main.js"]
