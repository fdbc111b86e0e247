/** State of the page that comes from its surroundings. */
import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Followed, follow } from './connection.js';

export function useFollowed(): Followed | undefined {
  const [followed, setFollowed] = useState<Followed>();
  useEffect(() => follow(setFollowed), []);
  return followed;
}

/** Width of an element in pixels, as it changes. */
export function useWidth(): readonly [RefObject<HTMLDivElement | null>, number] {
  const element = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    if (element.current) observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return [element, width];
}

/** The time, twice a second: for what says how old something is. */
export function useNow(active: boolean): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (!active) return;
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, [active]);
  return now;
}

export interface Loaded<T> {
  /** The last that there was, until there is another. */
  readonly value: T | undefined;
  readonly problem: string | undefined;
}

/** Milliseconds: changes come in flocks, and one question after them is enough. */
const SETTLE = 200;

/** Asks when `key` is another, and when `change` is, a moment later. What was asked for under another key is forgotten at once. */
export function useLoaded<T>(
  key: string,
  change: number,
  load: ((signal: AbortSignal) => Promise<T>) | undefined,
): Loaded<T> {
  const [loaded, setLoaded] = useState<Loaded<T> & { readonly key: string }>();
  const isNew = loaded?.key !== key;
  useEffect(() => {
    if (!load) return;
    const leave = new AbortController();
    const ask = (): void => {
      load(leave.signal).then(
        (value) => setLoaded({ key, value, problem: undefined }),
        (error: Error) => {
          if (leave.signal.aborted) return;
          setLoaded((before) => ({
            key,
            value: before?.key === key ? before.value : undefined,
            problem: error.message,
          }));
        },
      );
    };
    const timer = setTimeout(ask, isNew ? 0 : SETTLE);
    return () => {
      clearTimeout(timer);
      leave.abort();
    };
  }, [key, change, load === undefined]);
  return isNew ? { value: undefined, problem: undefined } : { value: loaded.value, problem: loaded.problem };
}

/**
 * One stop for TAB in a group of many: arrows, Home and End go on from there. Elements of the group have `data-stop`; returns what goes on the
 * element around them.
 */
export function useArrows(): { readonly onKeyDown: (event: KeyboardEvent) => void } {
  return {
    onKeyDown(event) {
      const group = event.currentTarget as Element;
      const stops = [...group.querySelectorAll<SVGElement | HTMLElement>('[data-stop]')];
      const at = stops.indexOf(document.activeElement as HTMLElement);
      const to = destination(event.key, at, stops.length);
      if (at < 0 || to === undefined) return;
      event.preventDefault();
      stops[at]!.setAttribute('tabindex', '-1');
      stops[to]!.setAttribute('tabindex', '0');
      stops[to]!.focus();
    },
  };
}

function destination(key: string, at: number, count: number): number | undefined {
  if (key === 'ArrowRight' || key === 'ArrowDown') return (at + 1) % count;
  if (key === 'ArrowLeft' || key === 'ArrowUp') return (at + count - 1) % count;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : undefined;
}

/** Enter and the space bar do what a click does, on what is no button of HTML. */
export function onActivate(act: () => void): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    act();
  };
}
