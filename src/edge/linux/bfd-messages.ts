/** What the main thread and the BFD thread say to each other. */
import type { BfdChange, BfdParameters, BfdStatus, BfdTarget } from '../../core/ports/bfd.js';

export type BfdRequest =
  | {
      readonly kind: 'open';
      readonly id: number;
      readonly target: BfdTarget;
      readonly parameters: BfdParameters;
    }
  | { readonly kind: 'change'; readonly id: number; readonly parameters: BfdParameters }
  | { readonly kind: 'close'; readonly id: number }
  /** Ends every session and the thread. */
  | { readonly kind: 'stop' };

export type BfdReport =
  | { readonly kind: 'changed'; readonly id: number; readonly change: BfdChange; readonly status: BfdStatus }
  | { readonly kind: 'failed'; readonly id: number; readonly reason: string }
  | { readonly kind: 'status'; readonly id: number; readonly status: BfdStatus };
