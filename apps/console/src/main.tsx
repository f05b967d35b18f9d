import '@mantine/core/styles.css';
import './console.css';
import { createTheme, MantineProvider, type MantineColorsTuple } from '@mantine/core';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app';
import { LanguageProvider } from './language';

const indigo: MantineColorsTuple = [
  '#eef0ff',
  '#dfe2ff',
  '#bcc2f9',
  '#969ef4',
  '#7680ef',
  '#616ced',
  '#4f57d8',
  '#4338ca',
  '#3730a3',
  '#312e81',
];

const theme = createTheme({
  primaryColor: 'arch',
  colors: { arch: indigo },
  primaryShade: { light: 7, dark: 6 },
  autoContrast: true,
  defaultRadius: 'md',
  fontFamily: 'Inter, ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, "DejaVu Sans Mono", monospace',
  headings: { fontWeight: '650' },
});

const nonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? '';
const root = document.getElementById('root');
if (!root) throw new Error('the page has no root');

createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => nonce}>
      <LanguageProvider>
        <App />
      </LanguageProvider>
    </MantineProvider>
  </StrictMode>,
);
