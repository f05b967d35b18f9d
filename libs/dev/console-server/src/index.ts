export { startConsole, type Console } from './console';
export { type PageState } from './page';
