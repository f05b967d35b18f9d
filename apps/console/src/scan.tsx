import { Button, Group, Stack, Text } from '@mantine/core';
import type { FlowView } from './api';
import { useSpeech } from './language';
import { Copy, Qr, StatusBadge } from './parts';
import { isOpen } from './use-flow';

interface ScanProps {
  readonly uri: string;
  /** What opens a wallet on this device; default: `uri`. */
  readonly link?: string;
  readonly qrLabel: string;
  readonly view: FlowView | undefined;
}

/** The QR code of a flow, its links, and its status as it is now. */
export function Scan({ uri, link = uri, qrLabel, view }: ScanProps) {
  const { text, language } = useSpeech();
  return (
    <div className={isOpen(view) ? 'scan' : 'scan scan-ended'}>
      <Qr text={uri} label={qrLabel} />
      <Stack gap="sm" className="grow">
        <Group gap="xs" role="status">
          <Text fw={600}>{text('status')}</Text>
          {view && <StatusBadge status={view.status} />}
        </Group>
        {view && isOpen(view) && (
          <Text size="sm" className="lead">
            {text('expires')} {new Date(view.expires_at).toLocaleTimeString(language)}
          </Text>
        )}
        <Button component="a" href={link} variant="default">
          {text('openWallet')}
        </Button>
        <Copy value={uri} label={text('copyLink')} />
      </Stack>
    </div>
  );
}

/** What stands where the QR code will be. */
export function NothingYet() {
  const { text } = useSpeech();
  return (
    <div className="nothing">
      <svg viewBox="0 0 120 120" width="120" height="120" aria-hidden="true">
        <rect x="14" y="14" width="30" height="30" rx="7" />
        <rect x="76" y="14" width="30" height="30" rx="7" />
        <rect x="14" y="76" width="30" height="30" rx="7" />
        <path d="M78 78h12v12H78zM96 96h10M60 20v16M60 60h16M20 60h20M60 84v22M92 62h14" />
      </svg>
      <Text fw={600}>{text('nothingYet')}</Text>
      <Text className="lead" ta="center">
        {text('nothingYetLead')}
      </Text>
    </div>
  );
}
