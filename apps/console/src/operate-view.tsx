import { Button, Group, SimpleGrid, Table, Text } from '@mantine/core';
import { useCallback, useEffect, useState } from 'react';
import { call, manage, type About, type FlowView } from './api';
import { useSpeech } from './language';
import { Json, Lead, Section, StatusBadge } from './parts';
import type { TextKey } from './texts-en';

interface Health {
  readonly ready: boolean;
  readonly services: Readonly<
    Record<
      string,
      { readonly ready: boolean; readonly expires?: Readonly<Record<string, string>>; readonly code?: string }
    >
  >;
}

interface Facts {
  readonly certificates: readonly {
    readonly file: string;
    readonly subject: string;
    readonly validTo: string;
    readonly daysLeft: number;
  }[];
  readonly trust?: object;
}

interface Undelivered {
  readonly id: string;
  readonly service: string;
  readonly status?: string;
  readonly attempts: number;
  readonly last_result?: string;
  readonly replayable?: boolean;
}

interface Snapshot {
  readonly health: Health;
  readonly facts: Facts;
  readonly requests: readonly FlowView[];
  readonly offers: readonly FlowView[];
  readonly waiting: readonly Undelivered[];
  readonly dead: readonly Undelivered[];
}

const items = async <T,>(path: string) => (await manage<{ items: readonly T[] }>('GET', path)).items;

const undelivered = async (state: string) =>
  (
    await Promise.all(['verifier', 'issuer'].map((name) => items<Undelivered>(`/callbacks/${name}?state=${state}`)))
  ).flat();

async function look(): Promise<Snapshot> {
  const [health, facts, requests, offers, waiting, dead] = await Promise.all([
    manage<Health>('GET', '/health/ready'),
    call<Facts>('GET', '/facts'),
    items<FlowView>('/oidc4vp?limit=10'),
    items<FlowView>('/offers?limit=10'),
    undelivered('waiting'),
    undelivered('dead'),
  ]);
  return { health, facts, requests, offers, waiting, dead };
}

interface Column {
  readonly head: string;
  readonly cells: readonly React.ReactNode[];
}

function Rows({ columns, label }: { readonly columns: readonly Column[]; readonly label: string }) {
  const { text } = useSpeech();
  const count = columns[0]?.cells.length ?? 0;
  if (count === 0) return <Text className="lead">{text('none')}</Text>;
  return (
    <div className="scroll" tabIndex={0} role="group" aria-label={label}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ head }) => (
              <Table.Th key={head}>{head}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {Array.from({ length: count }, (_, row) => (
            <Table.Tr key={row}>
              {columns.map(({ head, cells }) => (
                <Table.Td key={head}>{cells[row]}</Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

function HealthCard({ health }: { readonly health: Health }) {
  const { text } = useSpeech();
  return (
    <Section title={text('health')}>
      {Object.entries(health.services).map(([name, { ready, code }]) => (
        <Group key={name} justify="space-between" className="row">
          <Text>{name}</Text>
          <StatusBadge status={ready ? 'ready' : 'wrong'} label={ready ? text('ready') : (code ?? text('notReady'))} />
        </Group>
      ))}
    </Section>
  );
}

function CertificatesCard({ health, facts }: Pick<Snapshot, 'health' | 'facts'>) {
  const { text, language } = useSpeech();
  const day = (instant: string) => new Date(instant).toLocaleDateString(language);
  const remote = Object.entries(health.services).flatMap(([service, { expires = {} }]) =>
    Object.entries(expires).map(([name, end]) => [`${service}: ${name}`, end] as const),
  );
  const known = facts.certificates.map(({ file, subject, validTo, daysLeft }) => ({
    file,
    subject,
    validTo,
    daysLeft,
  }));
  return (
    <Section title={text('certificates')}>
      {known.map(({ file, subject, validTo, daysLeft }) => (
        <Group key={file} justify="space-between" className="row" wrap="nowrap">
          <div>
            <Text className="break">{subject}</Text>
            <Text size="sm" className="lead">
              {file}, {text('validUntil')} {day(validTo)}
            </Text>
          </div>
          <StatusBadge status={daysLeft > 30 ? 'valid' : 'wrong'} label={`${daysLeft} ${text('days')}`} />
        </Group>
      ))}
      {known.length === 0 &&
        remote.map(([name, end]) => (
          <Group key={name} justify="space-between" className="row">
            <Text>{name}</Text>
            <Text className="lead">
              {text('validUntil')} {day(end)}
            </Text>
          </Group>
        ))}
    </Section>
  );
}

function FlowsCard({ title, flows }: { readonly title: TextKey; readonly flows: readonly FlowView[] }) {
  const { text, language } = useSpeech();
  const columns: Column[] = [
    { head: text('status'), cells: flows.map(({ status }) => <StatusBadge key={status} status={status} />) },
    { head: text('created'), cells: flows.map(({ created_at }) => new Date(created_at).toLocaleString(language)) },
    {
      head: 'ID',
      cells: flows.map(({ state, offer_id }) => <code key={state}>{(state ?? offer_id)?.slice(0, 12)}…</code>),
    },
  ];
  return (
    <Section title={text(title)}>
      <Rows columns={columns} label={text(title)} />
    </Section>
  );
}

interface CallbacksProps {
  readonly title: TextKey;
  readonly all: readonly Undelivered[];
  /** Absent: this console only reads. */
  readonly onRetry?: (one: Undelivered) => void;
}

function CallbacksCard({ title, all, onRetry }: CallbacksProps) {
  const { text } = useSpeech();
  const columns: Column[] = [
    {
      head: text('status'),
      cells: all.map(({ id, service, status }) => <span key={id}>{`${service}: ${status ?? '?'}`}</span>),
    },
    { head: text('attempts'), cells: all.map(({ attempts, last_result }) => `${attempts} (${last_result ?? '–'})`) },
    ...(onRetry
      ? [
          {
            head: text('retry'),
            cells: all.map((one) => (
              <Button key={one.id} size="compact-sm" variant="default" onClick={() => onRetry(one)}>
                {text('retry')}
              </Button>
            )),
          },
        ]
      : []),
  ];
  return (
    <Section title={text(title)}>
      <Rows columns={columns} label={text(title)} />
    </Section>
  );
}

/** Health, certificates, lists and callbacks of an installation. */
export function OperateView({ about }: { readonly about: About }) {
  const { text } = useSpeech();
  const [snapshot, setSnapshot] = useState<Snapshot>();
  const [fault, setFault] = useState<string>();
  const reload = useCallback(() => {
    setFault(undefined);
    look().then(setSnapshot, (error: unknown) => setFault(error instanceof Error ? error.message : text('failed')));
  }, [text]);
  useEffect(reload, [reload]);
  const act = (action: 'retry' | 'replay') => (one: Undelivered) =>
    void manage('POST', `/callbacks/${one.service}/${one.id}/${action}`).then(reload, reload);
  const isLocal = about.mode === 'local';
  return (
    <>
      <Group justify="space-between" align="flex-start">
        <Lead title={text('operateTitle')} text={text('operateLead')} />
        <Button variant="default" onClick={reload}>
          {text('reload')}
        </Button>
      </Group>
      {fault !== undefined && <Text role="alert">{fault}</Text>}
      {snapshot && (
        <SimpleGrid cols={{ base: 1, md: 2 }}>
          <HealthCard health={snapshot.health} />
          <CertificatesCard health={snapshot.health} facts={snapshot.facts} />
          <FlowsCard title="requests" flows={snapshot.requests} />
          <FlowsCard title="offers" flows={snapshot.offers} />
          <CallbacksCard
            title="callbacksWaiting"
            all={snapshot.waiting}
            {...(isLocal ? { onRetry: act('retry') } : {})}
          />
          <CallbacksCard title="callbacksDead" all={snapshot.dead} {...(isLocal ? { onRetry: act('replay') } : {})} />
          {snapshot.facts.trust && (
            <Section title={text('trust')}>
              <Json value={snapshot.facts.trust} label={text('trust')} />
            </Section>
          )}
        </SimpleGrid>
      )}
    </>
  );
}
