/** Light, dark, or as the system is; and the colours of the fabric, which are those of its pictures. */
import { wayColours } from '../../app/picture/style.js';

export const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEY = 'heddle-theme';

export function storedTheme(): Theme {
  try {
    return THEMES.find((theme) => theme === localStorage.getItem(KEY)) ?? 'auto';
  } catch {
    return 'auto';
  }
}

export function applyTheme(theme: Theme): void {
  const root = document.documentElement;
  if (theme === 'auto') delete root.dataset.theme;
  else root.dataset.theme = theme;
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // A browser that keeps nothing shows the page all the same.
  }
}

/** As custom properties `--c0` to `--c7`, of which the style sheet knows nothing else. */
export function provideColours(): void {
  const [light, dark] = [wayColours(false), wayColours(true)];
  for (const [index, value] of light.entries())
    document.documentElement.style.setProperty(`--c${index}`, `light-dark(${value}, ${dark[index]})`);
}
