import type { ReactNode } from 'react';

const Icon = ({ children }: { readonly children: ReactNode }) => (
  <svg
    viewBox="0 0 24 24"
    width="18"
    height="18"
    fill="none"
    stroke="currentColor"
    strokeWidth="2"
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
  >
    {children}
  </svg>
);

export const Sun = () => (
  <Icon>
    <circle cx="12" cy="12" r="4" />
    <path d="M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6 19 19M5 19l1.4-1.4M17.6 6.4 19 5" />
  </Icon>
);

export const Moon = () => (
  <Icon>
    <path d="M20 14.5A8.5 8.5 0 1 1 9.5 4a7 7 0 0 0 10.5 10.5Z" />
  </Icon>
);

export const Tick = () => (
  <Icon>
    <path d="m5 12.5 4.5 4.5L19 7" />
  </Icon>
);

export const Cross = () => (
  <Icon>
    <path d="M6 6l12 12M18 6 6 18" />
  </Icon>
);

export const Phone = () => (
  <Icon>
    <rect x="7" y="2.5" width="10" height="19" rx="2.5" />
    <path d="M11 18.5h2" />
  </Icon>
);

export const Server = () => (
  <Icon>
    <rect x="3.5" y="4" width="17" height="6.5" rx="1.8" />
    <rect x="3.5" y="13.5" width="17" height="6.5" rx="1.8" />
    <path d="M7.5 7.2h.01M7.5 16.8h.01" />
  </Icon>
);

export const Scales = () => (
  <Icon>
    <path d="M12 4v16M8 20h8M5 7h14M5 7l-2.5 6a2.8 2.8 0 0 0 5 0ZM19 7l-2.5 6a2.8 2.8 0 0 0 5 0Z" />
  </Icon>
);

/** The sign of Vestibule: a doorway. */
export const Arch = () => (
  <svg viewBox="0 0 32 32" width="34" height="34" aria-hidden="true">
    <rect width="32" height="32" rx="8" fill="#4338ca" />
    <path d="M7 26V15a9 9 0 0 1 18 0v11" fill="none" stroke="#fff" strokeWidth="2.6" strokeLinecap="round" />
    <path d="M12.5 26V15.5a3.5 3.5 0 0 1 7 0V26" fill="#c7d2fe" />
  </svg>
);
