import {
  ActionIcon,
  Anchor,
  Badge,
  Code,
  Container,
  Group,
  SegmentedControl,
  Tabs,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { useEffect, useState } from 'react';
import { call, type About } from './api';
import { AnswerView } from './answer-view';
import { AskView } from './ask-view';
import { Arch, Moon, Sun } from './icons';
import { useSpeech, type Language } from './language';
import { OfferView } from './offer-view';
import { OperateView } from './operate-view';

const VIEWS = ['ask', 'offer', 'answer', 'operate'] as const;
type View = (typeof VIEWS)[number];

const viewOfAddress = (views: readonly View[]): View =>
  views.find((view) => location.hash === `#${view}`) ?? views[0] ?? 'operate';

function SchemeSwitch() {
  const { text } = useSpeech();
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme('light') === 'dark';
  return (
    <ActionIcon
      variant="default"
      size="lg"
      aria-label={text('scheme')}
      aria-pressed={isDark}
      onClick={() => setColorScheme(isDark ? 'light' : 'dark')}
    >
      {isDark ? <Sun /> : <Moon />}
    </ActionIcon>
  );
}

function Header({ about }: { readonly about: About }) {
  const { text, language, setLanguage } = useSpeech();
  return (
    <header className="header">
      <Container size="xl" className="header-row">
        <Group gap="sm" wrap="nowrap">
          <Arch />
          <div>
            <Text fw={700} lh={1.1}>
              Vestibule
            </Text>
            <Text size="xs" c="dimmed" lh={1.2}>
              {text('title')}
            </Text>
          </div>
          {about.mode === 'remote' && <Badge variant="light">{text('remote')}</Badge>}
        </Group>
        <Group gap="sm" wrap="nowrap">
          <Code className="wide-only">{about.managementUrl}</Code>
          <SegmentedControl
            size="xs"
            aria-label={text('language')}
            value={language}
            onChange={(value) => setLanguage(value as Language)}
            data={[
              { value: 'en', label: 'English' },
              { value: 'de', label: 'Deutsch' },
            ]}
          />
          <SchemeSwitch />
        </Group>
      </Container>
    </header>
  );
}

function Views({ about }: { readonly about: About }) {
  const { text } = useSpeech();
  const views: readonly View[] = about.mode === 'local' ? VIEWS : ['operate'];
  const [view, setView] = useState<View>(() => viewOfAddress(views));
  const open = (next: string | null) => {
    if (next === null) return;
    history.replaceState(null, '', `#${next}`);
    setView(next as View);
  };
  return (
    <Tabs value={view} onChange={open} keepMounted variant="pills" radius="xl">
      <nav className="tabs" aria-label={text('title')}>
        <Container size="xl">
          <Tabs.List>
            {views.map((name) => (
              <Tabs.Tab key={name} value={name}>
                {text(name)}
              </Tabs.Tab>
            ))}
          </Tabs.List>
        </Container>
      </nav>
      <Container size="xl" component="main" id="content" tabIndex={-1} className="content">
        {about.mode === 'local' && (
          <>
            <Tabs.Panel value="ask">
              <AskView about={about} />
            </Tabs.Panel>
            <Tabs.Panel value="offer">
              <OfferView about={about} />
            </Tabs.Panel>
            <Tabs.Panel value="answer">
              <AnswerView about={about} isShown={view === 'answer'} />
            </Tabs.Panel>
          </>
        )}
        <Tabs.Panel value="operate">{view === 'operate' && <OperateView about={about} />}</Tabs.Panel>
      </Container>
    </Tabs>
  );
}

/** The whole console. */
export function App() {
  const { text } = useSpeech();
  const [about, setAbout] = useState<About>();
  const [isFailed, setFailed] = useState(false);
  useEffect(() => {
    call<About>('GET', '/about').then(setAbout, () => setFailed(true));
  }, []);
  if (!about) return <p role="status">{text(isFailed ? 'failed' : 'loading')}</p>;
  return (
    <>
      <Anchor href="#content" className="skip" onClick={() => document.getElementById('content')?.focus()}>
        {text('skip')}
      </Anchor>
      <Header about={about} />
      <Views about={about} />
    </>
  );
}
