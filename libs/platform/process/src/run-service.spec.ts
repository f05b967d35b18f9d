/** @jest-environment ./tools/jest-context-environment.cjs */
import { ApiError } from '@vestibule/foundation';
import { defineConfiguration, variable } from './configuration';
import { type LogLevel } from './logger';
import type { ProcessHost } from './process-host';
import { runService, type ServiceContext, type ServiceOptions } from './run-service';
import { logLevelSetting, portSetting } from './settings';

const definition = defineConfiguration({
  logLevel: variable('LOG_LEVEL', logLevelSetting(), { category: 'Log', description: '', default: 'silent' }),
  port: variable('PUBLIC_PORT', portSetting(), { category: 'Network', description: '' }),
});
const delayed = defineConfiguration({
  ...definition,
  shutdownDelaySeconds: variable('SHUTDOWN_DELAY_SECONDS', portSetting(), { category: 'Network', description: '' }),
});
type Context = ServiceContext<{ readonly logLevel: LogLevel; readonly port: number }>;

function fakeHost(command?: string, environment: Record<string, string> = { PUBLIC_PORT: '1' }) {
  const listeners = new Map<string, (cause: unknown) => void>();
  const exits: number[] = [];
  const told: object[] = [];
  let left: (() => void) | undefined;
  const exited = new Promise<void>((resolve) => {
    left = resolve;
  });
  const host: ProcessHost = {
    environment,
    nodeVersion: process.version,
    command,
    on: (event, listener) => void listeners.set(event, listener),
    exit: (code) => {
      exits.push(code);
      left?.();
    },
    tellParent: (message) => void told.push(message),
  };
  return { host, exits, exited, told, emit: (event: string, cause?: unknown) => listeners.get(event)?.(cause) };
}

function options(
  host: ProcessHost,
  rest: Partial<ServiceOptions<typeof definition>> = {},
): ServiceOptions<typeof definition> {
  return { name: 'test', version: '1.0.0', configuration: definition, start: async () => {}, host, ...rest };
}

let written: string[] = [];
beforeEach(() => {
  written = [];
  // What is logged before a log level is known goes to standard output.
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
});
afterEach(() => jest.restoreAllMocks());

describe('running a service', () => {
  it('starts with its configuration and, on SIGTERM, closes the last opened first and leaves with 0', async () => {
    const { host, exits, exited, emit } = fakeHost();
    const steps: string[] = [];
    const start = async ({ configuration, onClose }: Context): Promise<void> => {
      steps.push(`port ${configuration.port}`);
      onClose('database', () => void steps.push('database'));
      onClose('intake', async () => {
        await Promise.resolve();
        steps.push('intake');
      });
    };
    await runService(options(host, { start }));
    expect(exits).toEqual([]);
    emit('SIGTERM');
    await exited;
    expect(steps).toEqual(['port 1', 'intake', 'database']);
    expect(exits).toEqual([0]);
  });

  it('says where it listens: in its log and to its parent process', async () => {
    const { host, told } = fakeHost(undefined, { PUBLIC_PORT: '0', LOG_LEVEL: 'info' });
    const addresses = { public: 'http://127.0.0.1:4711' };
    await runService(options(host, { start: async ({ listening }: Context) => listening(addresses) }));
    expect(told).toEqual([{ listening: addresses }]);
    const lines = written.map((line) => JSON.parse(line) as object);
    expect(lines).toContainEqual(expect.objectContaining({ msg: 'listening', ...addresses }));
  });

  it('closes what was opened when the start fails, and leaves with 1', async () => {
    const { host, exits } = fakeHost();
    const closed = jest.fn();
    const start = async ({ onClose }: Context): Promise<void> => {
      onClose('database', closed);
      return Promise.reject(new Error('canary'));
    };
    await runService(options(host, { start }));
    expect(closed).toHaveBeenCalledTimes(1);
    expect(exits).toEqual([1]);
  });

  it('names the variable behind a failed start, and where it could not listen', async () => {
    const { host } = fakeHost(undefined, { PUBLIC_PORT: '4711', LOG_LEVEL: 'error' });
    const taken = { code: 'EADDRINUSE', syscall: 'listen', address: '127.0.0.1', port: 4711 };
    const start = (): Promise<void> => Promise.reject(Object.assign(new Error('canary'), taken));
    await runService(options(host, { start }));
    const lines = written.map((line) => JSON.parse(line) as object);
    const facts = { variables: 'PUBLIC_PORT', address: '127.0.0.1:4711' };
    expect(lines).toContainEqual(expect.objectContaining({ msg: 'the start failed', ...facts }));
  });

  it('gives up a step that takes too long, still runs the next one, and leaves with 1', async () => {
    const { host, exits, exited, emit } = fakeHost();
    const closed = jest.fn();
    const start = async ({ onClose }: Context): Promise<void> => {
      onClose('database', closed);
      onClose('broken', () => Promise.reject(new Error('canary')));
      onClose('endless', () => new Promise(() => undefined));
    };
    await runService(options(host, { start, drainSeconds: 0.05 }));
    emit('SIGINT');
    await exited;
    expect(closed).toHaveBeenCalledTimes(1);
    expect(exits).toEqual([1]);
  });

  it('that gives itself up closes everything, once, and leaves with 1 for its supervisor', async () => {
    const { host, exits, exited } = fakeHost();
    const closed = jest.fn();
    let giveUp = (): void => undefined;
    const start = async (context: Context): Promise<void> => {
      giveUp = context.giveUp;
      context.onClose('database', closed);
    };
    await runService(options(host, { start }));
    giveUp();
    giveUp();
    await exited;
    expect(closed).toHaveBeenCalledTimes(1);
    expect(exits).toEqual([1]);
  });

  it('is not ready first, then waits for the delay, then closes', async () => {
    jest.useFakeTimers();
    try {
      const { host, exits, emit } = fakeHost(undefined, { PUBLIC_PORT: '1', SHUTDOWN_DELAY_SECONDS: '5' });
      const steps: string[] = [];
      const start = async ({ onClose, onRetire }: Context): Promise<void> => {
        onRetire(() => void steps.push('retired'));
        onClose('intake', () => void steps.push('closed'));
      };
      await runService(options(host, { configuration: delayed, start }));
      emit('SIGTERM');
      expect(steps).toEqual(['retired']);
      await jest.advanceTimersByTimeAsync(4_999);
      expect([steps, exits]).toEqual([['retired'], []]);
      await jest.advanceTimersByTimeAsync(1);
      expect([steps, exits]).toEqual([['retired', 'closed'], [0]]);
    } finally {
      jest.useRealTimers();
    }
  });

  it.each([
    ['SIGTERM', 'SIGTERM'],
    ['SIGTERM', 'SIGINT'],
    ['SIGINT', 'SIGTERM'],
  ])('does not wait for the delay on a second signal: %s, %s', async (first, second) => {
    // The delay would keep this process from ending.
    jest.useFakeTimers();
    try {
      const { host, exits, emit } = fakeHost(undefined, { PUBLIC_PORT: '1', SHUTDOWN_DELAY_SECONDS: '60' });
      await runService(options(host, { configuration: delayed }));
      emit(first);
      expect(exits).toEqual([]);
      emit(second);
      expect(exits).toEqual([1]);
    } finally {
      jest.useRealTimers();
    }
  });

  it('waits for nothing on a signal during the start, and closes what is open', async () => {
    const { host, exits, exited, emit } = fakeHost(undefined, { PUBLIC_PORT: '1', SHUTDOWN_DELAY_SECONDS: '60' });
    const steps: string[] = [];
    let fail: ((error: Error) => void) | undefined;
    const start = ({ onClose, onRetire }: Context): Promise<void> => {
      onRetire(() => void steps.push('retired'));
      onClose('database', () => void steps.push('closed'));
      return new Promise((_resolve, reject) => {
        fail = reject;
      });
    };
    const run = runService(options(host, { configuration: delayed, start }));
    emit('SIGTERM');
    await exited;
    expect([steps, exits]).toEqual([['retired', 'closed'], [0]]);
    fail?.(new Error('closed before it was connected'));
    await run;
    expect(exits).toEqual([0]);
  });

  it.each([
    ['SIGTERM', undefined, 0],
    ['SIGINT', undefined, 0],
    ['SIGTERM', 'migrate', 1],
  ])('leaves at once on %s while a device unwraps its keys, command %s, with %i', async (signal, command, code) => {
    const { host, exits, exited, emit } = fakeHost(command, { PUBLIC_PORT: '1', SEALING_KEYS: 'wrapped:/a/file' });
    let asked: () => void = () => undefined;
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    const unwrap = () => {
      asked();
      return new Promise<Uint8Array>(() => undefined);
    };
    const work = () => Promise.reject(new Error('this must not begin'));
    const devices = { sealingKeyDevices: { unwrap, errors: {} }, start: work, commands: { migrate: work } };
    void runService(options(host, devices));
    await isAsked;
    emit(signal);
    await exited;
    expect(exits).toEqual([code]);
  });

  it('leaves at once on a second signal', async () => {
    const { host, exits, emit } = fakeHost();
    const start = async ({ onClose }: Context): Promise<void> => onClose('endless', () => new Promise(() => undefined));
    await runService(options(host, { start, drainSeconds: 0.2 }));
    emit('SIGTERM');
    emit('SIGTERM');
    expect(exits).toEqual([1]);
  });

  it.each(['unhandledRejection', 'uncaughtException'])('leaves with 1 on %s', async (event) => {
    const { host, exits, emit } = fakeHost(undefined, { PUBLIC_PORT: '1', LOG_LEVEL: 'error' });
    await runService(options(host));
    emit(event, new Error('canary'));
    expect(exits).toEqual([1]);
    expect(written.join()).not.toContain('canary');
  });

  it('does not start with a wrong configuration: names in the log, no values, and 2', async () => {
    const { host, exits } = fakeHost(undefined, { PUBLIC_PORT: 'canary', LOG_LEVEL: 'canary' });
    const start = jest.fn();
    await runService(options(host, { start }));
    expect(start).not.toHaveBeenCalled();
    expect(exits).toEqual([2]);
    expect(written.join()).toMatch(/LOG_LEVEL[\s\S]*PUBLIC_PORT/);
    expect(written.join()).not.toContain('canary');
  });
});

describe('a Node that a flood of strings can stop', () => {
  it.each(['v20.20.1', 'v22.22.1', 'v24.14.0', 'v18.20.8'])('%s runs neither service nor command', async (version) => {
    const work = jest.fn(async () => {});
    for (const command of [undefined, 'migrate']) {
      const { host, exits } = fakeHost(command);
      const old = { ...host, nodeVersion: version };
      await runService(options(old, { start: work, commands: { migrate: work } }));
      expect(exits).toEqual([2]);
    }
    expect(work).not.toHaveBeenCalled();
    expect(written.join()).toContain(version);
    expect(written.join()).toContain('22.22.2');
  });
});

describe('running a command', () => {
  it('does its work, closes and leaves with 0, without starting the service', async () => {
    const { host, exits } = fakeHost('migrate');
    const start = jest.fn();
    const migrate = jest.fn(async () => {});
    await runService(options(host, { start, commands: { migrate } }));
    expect(migrate).toHaveBeenCalledTimes(1);
    expect(start).not.toHaveBeenCalled();
    expect(exits).toEqual([0]);
  });

  it('leaves with 1 when it fails', async () => {
    const { host, exits } = fakeHost('migrate');
    await runService(options(host, { commands: { migrate: () => Promise.reject(new Error('no')) } }));
    expect(exits).toEqual([1]);
  });

  it('leaves with 2 when its arguments are wrong: it did nothing', async () => {
    const { host, exits } = fakeHost('migrate');
    const fault = new ApiError({ kind: 'invalid', code: 'command_invalid', detail: 'an option is unknown' });
    await runService(options(host, { commands: { migrate: () => Promise.reject(fault) } }));
    expect(exits).toEqual([2]);
  });

  it.each(['unknown', 'toString'])('leaves with 2 when there is none of that name: %s', async (command) => {
    const { host, exits } = fakeHost(command);
    const start = jest.fn();
    await runService(options(host, { start, commands: { migrate: async () => {} } }));
    expect(start).not.toHaveBeenCalled();
    expect(exits).toEqual([2]);
  });
});
