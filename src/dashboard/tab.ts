import { type Session, watchState } from './session.js';
import { outcomeSymbols } from './verdict.js';

const colors = { pass: '#17722f', fail: '#c0232c', inconclusive: '#57606a' } as const;

/**
 * Shows the scenario and the outcome in the browser tab's title and icon.
 * @returns function that stops the updates
 */
export function showOutcomeInTab(session: Session): () => void {
  let shown = '';
  const show = () => {
    const outcome = session.outcome?.outcome;
    const { scenario } = session.state;
    const title = `${outcome === undefined ? '' : `${outcomeSymbols[outcome]} `}${scenario && `${scenario} · `}petstore-sim`;
    if (title === shown) return;
    shown = title;
    document.title = title;
    const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]');
    if (icon) icon.href = iconOf(outcome);
  };
  return watchState(session, show);
}

/** Data URL of an icon that shows an outcome. */
function iconOf(outcome: keyof typeof colors | undefined): string {
  const symbol = outcome === undefined ? '●' : outcomeSymbols[outcome];
  const color = outcome === undefined ? '#0b63ce' : colors[outcome];
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="${color}"/><text x="7" y="24" font-size="22" fill="#fff">${symbol}</text></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
