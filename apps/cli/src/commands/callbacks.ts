import { CALLBACK_STATES, REPORTING_SERVICES } from '@vestibule/contracts';
import type { Action, Argument, Command, Input } from '../command';
import { MANAGEMENT_OPTIONS, openManagement } from '../management';

const SERVICE: Argument = { name: 'service', required: true, choices: REPORTING_SERVICES };
const ONE: Argument = { name: 'id', required: false };

type Row = Readonly<Record<string, unknown>>;

/** One event: id, status, subject, attempts, last result, age in seconds; `-` for what it does not have. */
const lineOf = (row: Row) =>
  ['id', 'status', 'subject', 'attempts', 'last_result', 'age_seconds']
    .map((name) => String(row[name] ?? '-'))
    .join('\t');

async function list(input: Input): Promise<number> {
  const { options, host } = input;
  const ask = openManagement(input);
  const state = new URLSearchParams({ state: options['state'] ?? 'waiting' });
  let path: string | undefined = `/callbacks/${input.arguments['service']}?${state}`;
  while (path !== undefined) {
    const { body, next } = await ask('GET', path);
    for (const row of body as readonly Row[]) host.print('json' in options ? JSON.stringify(row) : lineOf(row));
    path = next;
  }
  return 0;
}

/** The path of one event, or of all of a service. */
function placeOf({ service, id }: Input['arguments'], action: string): string {
  return ['/callbacks', service, ...(id === undefined ? [] : [encodeURIComponent(id)]), action].join('/');
}

async function retry(input: Input): Promise<number> {
  const { body } = await openManagement(input)('POST', placeOf(input.arguments, 'retry'));
  input.host.print(`retried\t${String((body as Row)['retried'])}`);
  return 0;
}

async function replay(input: Input): Promise<number> {
  const ask = openManagement(input);
  let replayed = 0;
  for (let more = true; more;) {
    const { body } = await ask('POST', placeOf(input.arguments, 'replay'));
    const answer = body as { readonly replayed: number; readonly more: boolean };
    replayed += answer.replayed;
    more = answer.more;
  }
  input.host.print(`replayed\t${replayed}`);
  return 0;
}

async function drop(input: Input): Promise<number> {
  const { service, id } = input.arguments;
  await openManagement(input)('DELETE', `/callbacks/${service}/${encodeURIComponent(id ?? '')}`);
  input.host.print(`dropped\t${id}`);
  return 0;
}

async function test(input: Input): Promise<number> {
  const { service } = input.arguments;
  const { 'callback-url': url } = input.options;
  const asked = { ...(service === undefined ? {} : { service }), ...(url === undefined ? {} : { callback_url: url }) };
  const { body } = await openManagement(input)('POST', '/callbacks/test', asked);
  const results = body as readonly (Row & { readonly delivered: boolean; readonly signatures: readonly string[] })[];
  for (const result of results) {
    const { delivered, signatures } = result;
    const words = [delivered ? 'delivered' : 'not delivered', result['result'], `${String(result['milliseconds'])} ms`];
    input.host.print([result['service'], ...words, signatures.join(',') || 'unsigned'].join('\t'));
  }
  return results.every(({ delivered }) => delivered) ? 0 : 1;
}

const action = (name: string, about: string, rest: Pick<Action, 'arguments' | 'options' | 'run'>): Action => ({
  name,
  about,
  ...rest,
  options: { ...rest.options, ...MANAGEMENT_OPTIONS },
});

export const callbacks: Command = {
  name: 'callbacks',
  summary: 'shows the events that did not reach a backend, and sends them again',
  actions: [
    action('list', 'lists pending events or dead letters, oldest first, never with claims', {
      arguments: [SERVICE],
      options: {
        state: { value: CALLBACK_STATES.join('|'), about: 'waiting (the default): pending; dead: given up' },
        json: { about: 'one JSON object for each event, with all members' },
      },
      run: list,
    }),
    action('retry', 'sends pending events now: all of a service, or those of one request or offer', {
      arguments: [SERVICE, ONE],
      options: {},
      run: retry,
    }),
    action('replay', 'rebuilds dead letters that carried no claims, and sends them again', {
      arguments: [SERVICE, ONE],
      options: {},
      run: replay,
    }),
    action('drop', 'gives up on a pending event, so that the next one of its offer is due', {
      arguments: [SERVICE, { ...ONE, required: true }],
      options: {},
      run: drop,
    }),
    action('test', 'posts a signed event with the status TEST, and says what became of it', {
      arguments: [{ ...SERVICE, required: false }],
      options: { 'callback-url': { value: 'URL', about: 'another receiver, at an origin of CALLBACK_ORIGINS' } },
      run: test,
    }),
  ],
  about: [
    'Asks the management listener of the gateway. The columns of list are id, status, subject (state of a request or id of\n' +
      'an offer), attempts, last result and age in seconds. <service> is verifier (presentations) or issuer (offers).',
    'test ends with exit code 1 if an event was not delivered.',
  ],
  examples: [
    ['docker compose exec gateway vestibule callbacks list verifier', 'what the backend has not accepted yet'],
    ['vestibule callbacks list issuer --state dead --json', 'the dead letters of the issuer'],
    ['vestibule callbacks retry verifier', 'after an outage of the backend: try all again now'],
    ['vestibule callbacks test --url https://gateway.internal:8081 --bearer-file key', 'is the backend reachable?'],
  ],
};
