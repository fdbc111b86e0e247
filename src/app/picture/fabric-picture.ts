/** What a picture of a fabric shows: panels side by side, each a state of it with the ways of its subflows. Plain values. */

export interface FabricPicture {
  readonly title: string;
  readonly panels: readonly PicturePanel[];
}

export interface PicturePanel {
  /** `before`, `leaf1:spine2 failed`. */
  readonly title: string;
  /** Sentences under the drawing. */
  readonly notes?: readonly string[];
  readonly spines: readonly string[];
  readonly leaves: readonly string[];
  readonly hosts: readonly PictureHost[];
  readonly links: readonly PictureLink[];
  readonly ways: readonly PictureWay[];
}

export interface PictureHost {
  readonly name: string;
  readonly leaf: string;
}

export interface PictureLink {
  /** Nobody else's in the panel. */
  readonly name: string;
  /** A leaf. */
  readonly a: string;
  /** A spine or a host. */
  readonly b: string;
  readonly up: boolean;
  /** Written beside the link: what it carries, in the words of the one who asks. */
  readonly load?: string;
}

/** The way of one colour, in any order: it may split. */
export interface PictureWay {
  readonly colour: number;
  /** `host1 to host2 by spine1`. */
  readonly label: string;
  readonly uses: readonly PictureUse[];
}

export interface PictureUse {
  readonly link: string;
  /** Of the way, above 0 to 1: how wide it is drawn. */
  readonly share: number;
}
