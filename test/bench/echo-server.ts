import Fastify from "fastify";

/** Baseline (a): a bare Fastify route that echoes the body. Prints its address. */
const server = Fastify();
server.post("/echo", (request) => request.body);
console.log(await server.listen({ host: "127.0.0.1", port: 0 }));
