# One image for every role: HOLDFAST_ROLE says what a container does.
FROM node:22-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm run build && npm prune --omit=dev --no-audit --no-fund

FROM node:22-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/prisma/migrations ./prisma/migrations
COPY --from=build /app/dist ./dist
# Where the embedded PostgreSQL keeps its data when no HOLDFAST_DATABASE_URL is given.
RUN mkdir /data && chown node:node /data
VOLUME /data
USER node
ENV HOLDFAST_HOST=0.0.0.0 HOLDFAST_DATA_DIR=/data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.HOLDFAST_PORT ?? 8080}/health/live`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/apps/main.js"]
