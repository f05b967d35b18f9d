import { randomBytes } from 'node:crypto';

interface ContainerServer {
  readonly url: string;
  stop(): Promise<void>;
}

const POSTGRES_IMAGE = 'postgres:18-alpine';
const NATS_IMAGE = 'nats:2-alpine';

/** Loaded only when needed: it takes a quarter of a second. */
const loadTestcontainers = () => import('testcontainers');

/** True if a container engine answers. Without one this takes a few milliseconds. */
export async function findContainerEngine(): Promise<boolean> {
  const { getContainerRuntimeClient } = await loadTestcontainers();
  return getContainerRuntimeClient().then(
    () => true,
    () => false,
  );
}

/** A temporary Postgres in a container; `url` is the superuser's. */
export async function startPostgresContainer(): Promise<ContainerServer> {
  const { GenericContainer, Wait } = await loadTestcontainers();
  const password = randomBytes(18).toString('base64url');
  const container = await new GenericContainer(POSTGRES_IMAGE)
    .withEnvironment({ POSTGRES_PASSWORD: password })
    .withCommand(['postgres', '-c', 'fsync=off', '-c', 'max_connections=300'])
    .withExposedPorts(5432)
    // The image starts Postgres once for its own setup: only the second line means that it is ready.
    .withWaitStrategy(Wait.forLogMessage(/database system is ready to accept connections/, 2))
    .start();
  const url = `postgres://postgres:${password}@${container.getHost()}:${container.getMappedPort(5432)}/postgres`;
  return { url, stop: async () => void (await container.stop()) };
}

/** A nats-server in a container. */
export async function startNatsContainer(): Promise<ContainerServer> {
  const { GenericContainer, Wait } = await loadTestcontainers();
  const target = '/etc/nats/vestibule.conf';
  const container = await new GenericContainer(NATS_IMAGE)
    .withCopyContentToContainer([{ content: 'max_payload: 2MB\n', target }])
    .withCommand(['-c', target])
    .withExposedPorts(4222)
    .withWaitStrategy(Wait.forLogMessage(/Server is ready/))
    .start();
  const url = `nats://${container.getHost()}:${container.getMappedPort(4222)}`;
  return { url, stop: async () => void (await container.stop()) };
}
