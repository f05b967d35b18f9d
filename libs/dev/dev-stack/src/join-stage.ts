import { Agent, request as httpRequest } from 'node:http';
import { type ReceivedCallback } from './callback-receiver';
import {
  type CallbacksQuestion,
  type DeliveredQuestion,
  type DoorQuestion,
  type JoinQuestion,
  type SharedStage,
} from './shared-stages';
import { StackFailure } from './stack-failure';
import { readTestEnvironment } from './test-environment';

/** A stage that other test files use at the same time: nothing of it may be stopped, and nothing in it counted as a whole. */
export interface JoinedStage extends SharedStage {
  /** As {@link TestStage.callbacksAbout}. */
  callbacksAbout(id: string, count: number): Promise<readonly ReceivedCallback[]>;
  /** As {@link TestStage.untilDelivered}. */
  untilDelivered(ids: readonly string[]): Promise<void>;
  /** An address from which the verifier fetches what the server at `port` answers; the port of the loopback address. */
  openDoor(port: number): Promise<number>;
  /** Gives back the doors; the stage goes on. */
  leave(): Promise<void>;
}

/** Asks the host. Without a time limit of its own: what takes long there, such as a start, has one. */
function ask<Answer>(agent: Agent, hostUrl: string, path: string, question: object): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(`${hostUrl}${path}`, { method: 'POST', agent }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('error', reject);
      response.on('end', () => {
        const answer = JSON.parse(text) as Answer & { readonly message?: string };
        if (response.statusCode === 200) resolve(answer);
        else reject(new StackFailure('stage_host_failed', answer.message ?? 'the host of the stages gives no reason'));
      });
    });
    outgoing.on('error', reject);
    outgoing.end(JSON.stringify(question));
  });
}

const revived = (callback: ReceivedCallback): ReceivedCallback => ({
  ...callback,
  receivedAt: new Date(callback.receivedAt),
});

/**
 * Joins the stage of that name, which the first one that joins starts; for all others `options` and `facts` mean nothing.
 * @throws StackFailure `no_stage_host` outside of `npm test`; `stage_host_failed` when the stage does not start
 */
export async function joinSharedStage(
  question: JoinQuestion,
  stagesUrl = readTestEnvironment().stagesUrl,
): Promise<JoinedStage> {
  if (stagesUrl === undefined) {
    throw new StackFailure('no_stage_host', 'TEST_STAGES_URL is not set: run the tests with npm test');
  }
  const agent = new Agent({ keepAlive: true });
  const { name } = question;
  const doors: number[] = [];
  const moveDoor = (door: DoorQuestion) => ask<{ port: number }>(agent, stagesUrl, '/door', door);
  const shared = await ask<SharedStage>(agent, stagesUrl, '/join', question);
  return {
    ...shared,
    async callbacksAbout(id, count) {
      const asked: CallbacksQuestion = { name, id, count };
      return (await ask<ReceivedCallback[]>(agent, stagesUrl, '/callbacks', asked)).map(revived);
    },
    async untilDelivered(ids) {
      const asked: DeliveredQuestion = { name, ids };
      await ask(agent, stagesUrl, '/delivered', asked);
    },
    async openDoor(target) {
      const { port } = await moveDoor({ name, target });
      doors.push(port);
      return port;
    },
    async leave() {
      for (const door of doors.splice(0)) await moveDoor({ name, door });
      agent.destroy();
    },
  };
}
