import { GenericContainer, getContainerRuntimeClient } from "testcontainers";
import type { PrivateRedis } from "./services.js";

/** The same as a private Redis from a program, where the machine has Docker and no redis-server. */
export async function startRedisContainer(port: number): Promise<PrivateRedis> {
  const container = await new GenericContainer("redis:8-alpine")
    .withCommand(["redis-server", "--appendonly", "yes"])
    .withExposedPorts({ container: 6379, host: port })
    .start();
  const { container: client } = await getContainerRuntimeClient();
  const handle = client.getById(container.getId());
  const signal = async (name: string): Promise<void> => void (await handle.kill({ signal: name }));
  return {
    url: `redis://${container.getHost()}:${port}`,
    suspend: () => signal("SIGSTOP"),
    resume: () => signal("SIGCONT"),
    kill: () => signal("SIGKILL"),
    restart: () => container.restart(),
    stop: async () => void (await container.stop()),
  };
}
