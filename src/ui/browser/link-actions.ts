/** What is done to links from here: which are being changed, and what could not be done. */
import { useState } from 'preact/hooks';
import type { LinkAction } from '../../edge/control/page/shapes.js';
import { changeLink } from './requests.js';

export interface LinkActions {
  /** Links that something is being done to. */
  readonly busy: ReadonlySet<string>;
  readonly problem: string | undefined;
  readonly run: (link: string, action: LinkAction) => void;
}

export function useLinkActions(): LinkActions {
  const [busy, setBusy] = useState<ReadonlySet<string>>(new Set());
  const [problem, setProblem] = useState<string>();
  const run = (link: string, action: LinkAction): void => {
    if (busy.has(link)) return;
    setBusy((before) => new Set(before).add(link));
    setProblem(undefined);
    changeLink(link, action)
      .catch((error: Error) => setProblem(`${link}: ${error.message}`))
      .finally(() => setBusy((before) => new Set([...before].filter((name) => name !== link))));
  };
  return { busy, problem, run };
}
