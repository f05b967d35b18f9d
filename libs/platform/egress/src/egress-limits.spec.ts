import type { RequestListener, ServerResponse } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { until } from '@vestibule/testkit';
import { createEgress, EGRESS_FAILURES, type Egress, type EgressOptions, type GetOptions } from './index';
import { startHttp, type LoopbackServer } from './testing/loopback-server';

const limits: GetOptions = {
  purpose: 'crl',
  accept: '*/*',
  maxBytes: 10_000,
  timeoutMilliseconds: 20_000,
  maxRedirects: 2,
};
const impatient: GetOptions = { ...limits, timeoutMilliseconds: 500 };
const code = (expected: string) => expect.objectContaining({ code: expected, kind: 'unavailable' });

const opened: (LoopbackServer | Egress)[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
});

function egressTo(port: number, options: Partial<EgressOptions> = {}): Egress {
  const egress = createEgress({ allowDevelopmentHosts: [`127.0.0.1:${port}`], ...options });
  opened.push(egress);
  return egress;
}

async function serve(listener: RequestListener, options: Partial<EgressOptions> = {}) {
  const server = await startHttp(listener);
  opened.push(server);
  return { server, egress: egressTo(server.port, options), url: `http://127.0.0.1:${server.port}/` };
}

/**
 * A server for `count` requests of which `atOnce` may be there at a time: it answers them together, once there are so many
 * and a stranger, who came later on a way of his own, was answered. One too many would be there by then.
 */
async function serveCrowd(count: number, atOnce: number, options: Partial<EgressOptions>) {
  const open: ServerResponse[] = [];
  const order: string[] = [];
  let most = 0;
  const crowd = await serve((request, response) => {
    if (request.url === '/stranger') return void response.end();
    order.push(request.url ?? '');
    open.push(response);
    most = Math.max(most, open.length);
    if (open.length < atOnce && order.length < count) return;
    const answer = () => open.splice(0).forEach((one) => one.end('ok'));
    void fetch(`${crowd.url}stranger`).then(answer, answer);
  }, options);
  return { ...crowd, order, most: () => most };
}

describe('the size of an answer', () => {
  it('VP:O19 is bounded where it is declared, before it is read', async () => {
    const { egress, url } = await serve((_, response) => {
      response.writeHead(200, { 'content-length': 100_000_000 });
      response.write('x');
    });
    await expect(egress.get(url, limits)).rejects.toEqual(code('egress_too_large'));
  });

  it('VP:O19 is bounded where it is not declared: 100 MB are not read', async () => {
    let sent = 0;
    const { egress, url } = await serve((_, response) => {
      const chunk = Buffer.alloc(65_536);
      const push = () => {
        while (sent < 100_000_000 && !response.destroyed) {
          sent += chunk.byteLength;
          if (!response.write(chunk)) return response.once('drain', push);
        }
        return response.end();
      };
      push();
    });
    await expect(egress.get(url, limits)).rejects.toEqual(code('egress_too_large'));
    expect(sent).toBeLessThan(50_000_000);
  });

  it('VP:O19 may be exactly the limit, in one piece or byte by byte', async () => {
    const { egress, url } = await serve((request, response) => {
      if (request.url === '/') return response.end(Buffer.alloc(10_000, 'a'));
      for (let count = 0; count < 10_000; count += 1) response.write('a');
      return response.end();
    });
    for (const path of ['', 'bytes']) {
      const { body } = await egress.get(url + path, limits);
      expect(body.equals(Buffer.alloc(10_000, 'a'))).toBe(true);
    }
    await expect(egress.get(`${url}bytes`, { ...limits, maxBytes: 9999 })).rejects.toEqual(code('egress_too_large'));
  });

  it('VP:O19 counts the header, too', async () => {
    const { egress, url } = await serve((_, response) => response.writeHead(200, { long: 'x'.repeat(20_000) }).end());
    await expect(egress.get(url, limits)).rejects.toEqual(code('egress_too_large'));
  });
});

describe('the time of an answer', () => {
  /** Timers of a process fire in the order of their times, however busy the machine is: the half second ends before the whole. */
  const endsInTime = async (ask: () => Promise<unknown>) => {
    const late = AbortSignal.timeout(2 * impatient.timeoutMilliseconds);
    await expect(ask()).rejects.toEqual(code('egress_timeout'));
    expect(late.aborted).toBe(false);
  };

  it('VP:O19 is bounded when nothing comes', async () => {
    const { egress, url } = await serve(() => undefined);
    await endsInTime(() => egress.get(url, impatient));
  });

  it('VP:Q5 is bounded as a whole, however slowly the body drips (slow loris)', async () => {
    const { egress, url } = await serve((_, response) => {
      const timer = setInterval(() => response.write('x'), 10);
      response.on('close', () => clearInterval(timer));
    });
    await endsInTime(() => egress.get(url, impatient));
  });

  it('VP:Q5 is bounded over all redirects together', async () => {
    const { egress, url } = await serve((_, response) => response.writeHead(302, { location: '/' }).end());
    await endsInTime(() => egress.get(url, { ...impatient, maxRedirects: Infinity }));
  });

  it('VP:Q5 is bounded when the name never resolves', async () => {
    const egress = egressTo(1, { resolve: () => new Promise(() => undefined) });
    await endsInTime(() => egress.get('https://status.example/', impatient));
  });
});

describe('concurrency', () => {
  it('VP:O19 is capped: the others wait for their turn', async () => {
    const crowd = await serveCrowd(21, 3, { maxConcurrent: 3 });
    const answers = await Promise.all(Array.from({ length: 21 }, () => crowd.egress.get(crowd.url, limits)));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(crowd.most()).toBe(3);
  });

  it('VP:O19 waiting counts into the time, and the number that waits is bounded', async () => {
    const { egress, url } = await serve(() => undefined, { maxConcurrent: 1, maxWaiting: 1 });
    const answers = await Promise.allSettled([1, 2, 3].map(() => egress.get(url, impatient)));
    expect(answers.map((answer) => (answer as PromiseRejectedResult).reason)).toEqual([
      code('egress_timeout'),
      code('egress_timeout'),
      code('egress_overloaded'),
    ]);
  });

  it('VP:O19 VP:Q5 a host that never answers keeps nobody from the other hosts, however much it is asked', async () => {
    let arrived = 0;
    const slow = await serve(() => void (arrived += 1));
    const quick = await serve((_, response) => response.end('ok'));
    const hosts = [slow, quick].map(({ server }) => `127.0.0.1:${server.port}`);
    const egress = createEgress({ allowDevelopmentHosts: hosts });
    opened.push(egress);
    const patient = { ...limits, timeoutMilliseconds: 120_000 };
    const asked = Array.from({ length: 40 }, (_, index) => egress.get(`${slow.url}${index}`, patient));
    let ended = 0;
    for (const one of asked) void one.catch(() => (ended += 1));
    await until(() => arrived === 4);
    for (let more = 0; more < 5; more += 1) expect((await egress.get(quick.url, patient)).body.toString()).toBe('ok');
    // All of them still wait: four at the host, the others for their turn there.
    expect([arrived, ended]).toEqual([4, 0]);
    await egress.close();
    await until(() => ended === 40);
  });

  it('VP:O19 a host has a number of places of its own, and those who wait for it come in turn', async () => {
    const crowd = await serveCrowd(9, 1, { maxConcurrentForHost: 1 });
    await Promise.all(Array.from({ length: 9 }, (_, index) => crowd.egress.get(`${crowd.url}${index}`, limits)));
    expect([crowd.most(), crowd.order]).toEqual([1, Array.from({ length: 9 }, (_, index) => `/${index}`)]);
  });

  it('VP:O19 a slot is free again after every kind of end', async () => {
    let count = 0;
    const { egress, url } = await serve(
      (_, response) => {
        count += 1;
        if (count === 1) response.destroy();
        else if (count === 3) response.end(Buffer.alloc(20_000));
        else if (count !== 2) response.end('ok');
      },
      { maxConcurrent: 1 },
    );
    await expect(egress.get(url, limits)).rejects.toEqual(code('egress_failed'));
    await expect(egress.get(url, impatient)).rejects.toEqual(code('egress_timeout'));
    await expect(egress.get(url, limits)).rejects.toEqual(code('egress_too_large'));
    expect((await egress.get(url, limits)).body.toString()).toBe('ok');
  });
});

describe('the end of the egress', () => {
  it('ends what is under way and refuses what comes after', async () => {
    let arrived = 0;
    const { egress, url } = await serve(() => void (arrived += 1));
    const underWay = egress.get(url, limits);
    const ended = expect(underWay).rejects.toEqual(code('egress_closed'));
    await until(() => arrived === 1);
    await egress.close();
    await ended;
    await expect(egress.get(url, limits)).rejects.toEqual(code('egress_closed'));
  });
});

describe('an answer that is not HTTP', () => {
  it.each([
    ['another protocol', 'SSH-2.0-OpenSSH\r\n'],
    ['cut short', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort'],
    ['noise', '\0'.repeat(1000)],
    ['nothing', ''],
  ])('VP:Q5 is a failure of the table: %s', async (_, bytes) => {
    const server = createServer((socket) => socket.resume().end(bytes));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const get = egressTo(port).get(`http://127.0.0.1:${port}/?canary`, limits);
    const error: unknown = await get.catch((reason: unknown) => reason);
    expect(error).toEqual(code('egress_failed'));
    expect(`${JSON.stringify(error)}${String(error)}`).not.toContain('canary');
    await new Promise((resolve) => server.close(resolve));
  });

  it('has a meaning and a remedy for every code', () => {
    for (const [name, { meaning, remedy }] of Object.entries(EGRESS_FAILURES)) {
      expect(name).toMatch(/^egress_[a-z_]+$/);
      expect(meaning.length * remedy.length).toBeGreaterThan(0);
    }
  });
});

describe('places', () => {
  const silent = (request: { url?: string }, response: { end(text: string): void }) => {
    if (request.url === '/quick') response.end('ok');
  };

  it('of a host are bounded for those that wait, too: the rest hears so at once', async () => {
    const { egress, url } = await serve(silent, { maxConcurrentForHost: 1, maxWaitingForHost: 2 });
    const slow = [1, 2, 3].map(() => egress.get(url, limits).catch((error: unknown) => error));
    await expect(egress.get(url, limits)).rejects.toEqual(code('egress_overloaded'));
    await egress.close();
    await Promise.all(slow);
  });

  it('of strangers are apart: their silent hosts keep no known host waiting', async () => {
    const { egress, url } = await serve(silent, { maxConcurrent: 2, maxConcurrentForHost: 2 });
    const strange = { ...limits, namedBy: 'stranger' } as const;
    const slow = Array.from({ length: 8 }, () => egress.get(url, strange).catch((error: unknown) => error));
    await expect(egress.get(`${url}quick`, limits)).resolves.toMatchObject({ status: 200 });
    await egress.close();
    await Promise.all(slow);
  });
});
