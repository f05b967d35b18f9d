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

/** A stage that other test files use at the same time: do not stop any part of it, and do not rely on totals. */
export interface JoinedStage extends SharedStage {
  /** As {@link TestStage.callbacksAbout}. */
  callbacksAbout(id: string, count: number): Promise<readonly ReceivedCallback[]>;
  /** As {@link TestStage.untilDelivered}. */
  untilDelivered(ids: readonly string[]): Promise<void>;
  /**
   * An address from which the verifier can fetch what the server at `port` serves; returns the port on the loopback
   * address.
   */
  openDoor(port: number): Promise<number>;
  /** Returns the doors; the stage keeps running. */
  leave(): Promise<void>;
}

/** Sends a request to the host. It has no time limit: slow operations there, such as a start, have their own. */
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
        else reject(new StackFailure('stage_host_failed', answer.message ?? 'the host of the stages gave no reason'));
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
 * Joins the stage with this name. The first caller starts it; `options` and `facts` of later callers are ignored.
 * @throws StackFailure `no_stage_host` outside of `npm test`; `stage_host_failed` if the stage does not start
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
