import { Badge, Button, Card, CopyButton, Group, Stack, Text, Title } from '@mantine/core';
import { useMemo, type ReactNode } from 'react';
import { encode } from 'uqr';
import { useSpeech } from './language';

/** A card with a heading. */
export function Section(props: {
  readonly title: string;
  readonly icon?: ReactNode;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <Card component="section" withBorder className="card" aria-label={props.title}>
      <Group justify="space-between" mb="md" wrap="nowrap" align="flex-start">
        <Group gap="xs" wrap="nowrap">
          {props.icon && <span className="icon">{props.icon}</span>}
          <Title order={2} size="h4">
            {props.title}
          </Title>
        </Group>
        {props.aside}
      </Group>
      {props.children}
    </Card>
  );
}

/** The head of a view. */
export function Lead({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <Stack gap={4} mb="lg">
      <Title order={1} size="h2">
        {title}
      </Title>
      <Text className="lead">{text}</Text>
    </Stack>
  );
}

const GOOD = ['FULFILLED', 'ISSUED', 'accepted', 'ready', 'valid'];
const OPEN = ['PENDING', 'OFFER_CREATED'];

const colourOf = (status: string) => (GOOD.includes(status) ? 'teal' : OPEN.includes(status) ? 'arch' : 'red');

/** A status as a coloured word. */
export function StatusBadge({ status, label = status }: { readonly status: string; readonly label?: string }) {
  return (
    <Badge variant="light" color={colourOf(status)} className={`badge badge-${colourOf(status)}`}>
      {label}
    </Badge>
  );
}

/** Always dark on white, with a quiet zone: cameras need it, whatever the colour scheme. */
export function Qr({ text, label }: { readonly text: string; readonly label: string }) {
  const { size, path } = useMemo(() => {
    const { data, size: modules } = encode(text, { ecc: 'L', border: 3 });
    const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
    return { size: modules, path: dark.join('') };
  }, [text]);
  return (
    <svg className="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shapeRendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#111827" />
    </svg>
  );
}

/** Copies a text. */
export function Copy({ value, label }: { readonly value: string; readonly label: string }) {
  const { text } = useSpeech();
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => (
        <Button variant="default" onClick={copy}>
          {copied ? text('copied') : label}
        </Button>
      )}
    </CopyButton>
  );
}

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|(-?\d+(?:\.\d+)?)/g;

const classOf = ([, string, colon]: RegExpMatchArray) =>
  string === undefined ? 'json-value' : colon === undefined ? 'json-string' : 'json-name';

function coloured(text: string): ReactNode[] {
  const parts: ReactNode[] = [];
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    parts.push(text.slice(end, match.index));
    const word = match[1] ?? match[0];
    parts.push(
      <span key={match.index} className={classOf(match)}>
        {word}
      </span>,
    );
    end = match.index + word.length;
  }
  return [...parts, text.slice(end)];
}

/** JSON with short lists on one line. */
export const pretty = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(
    /\[\s+([^[\]{}]*?)\s+\]/g,
    (_, inner: string) => `[${inner.replace(/\s*\n\s*/g, ' ')}]`,
  );

/** JSON, coloured, and reachable by keyboard because it scrolls. */
export function Json({ value, label }: { readonly value: unknown; readonly label: string }) {
  const shown = useMemo(() => coloured(pretty(value)), [value]);
  return (
    <pre className="json" tabIndex={0} role="group" aria-label={label}>
      {shown}
    </pre>
  );
}
