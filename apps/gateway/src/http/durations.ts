import { METHODS } from 'node:http';
import { DomainError } from '@vestibule/foundation';
import { traced, type Metrics } from '@vestibule/process';
import type { Ask } from '../ask';
import type { ObservedAnswer } from './listener';

const SECOND_MILLISECONDS = 1000;
const known = new Set(METHODS);

/**
 * Counts answers and how long they took, as OpenTelemetry names it (HTTP semantic conventions): by the pattern of the
 * route, never the address.
 */
export function measureAnswers(metrics: Pick<Metrics, 'durations'>): (answer: ObservedAnswer) => void {
  const observe = metrics.durations(
    'http_server_request_duration_seconds',
    'Time from the head of a request to the end of its answer',
    ['listener', 'http_request_method', 'http_route', 'http_response_status_code'],
  );
  return ({ listener, method, route, status, milliseconds }) =>
    observe(milliseconds / SECOND_MILLISECONDS, listener, known.has(method) ? method : '_OTHER', route, String(status));
}

const resultOf = (error: unknown): string => (error instanceof DomainError ? error.code : 'internal_error');

/** Measures questions to the services by their subject and result, `ok` or the code of the error. */
export function measureQuestions(ask: Ask, metrics: Pick<Metrics, 'durations'>): Ask {
  const observe = metrics.durations(
    'vestibule_bus_question_duration_seconds',
    'Questions to services and their results',
    ['subject', 'result'],
  );
  return (contract, question) => {
    const { subject } = contract;
    const attributes = { 'messaging.destination.name': subject };
    return traced({ name: `ask ${subject}`, kind: 'client', attributes }, () => {
      const started = performance.now();
      const note = (result: string): void =>
        observe((performance.now() - started) / SECOND_MILLISECONDS, subject, result);
      // Without an async function, whose promises cost several microseconds per question.
      return ask(contract, question).then(
        (answer) => {
          note('ok');
          return answer;
        },
        (error: unknown) => {
          note(resultOf(error));
          throw error;
        },
      );
    });
  };
}
