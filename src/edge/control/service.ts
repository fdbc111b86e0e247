/** What answers HTTP requests, whichever listener they come in by: the page, resources, commands, and streams of events. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Answer, failure } from './answers.js';
import type { Command, ControlCommands } from './commands.js';
import { EventStreams, MOST_STREAMS } from './event-streams.js';
import { openApiDocument } from './openapi.js';
import { PageServer, type PageSource } from './page/page-server.js';
import { BodyTooLarge, hasBody, readBody } from './request-body.js';
import { bodyOf, type Routed, route } from './requests.js';
import type { ControlHandlers } from './schema.js';
import { send } from './send.js';
import { Turns } from './turns.js';

/** Characters: a text for another operator and its JSON. */
const MOST_BODY = 4096;

/** Of those that read tables of the kernel. */
const MOST_DEAR = 4;

const BUSY = failure(503, `${MOST_DEAR} clients ask for that already`, { 'retry-after': '1' });
const TOO_MANY = failure(503, `${MOST_STREAMS} clients follow events already`);
const READ_ONLY = failure(403, 'this address is for reading alone: commands go over the control socket');
const NO_BODY = failure(400, 'only a POST has a body');

export interface Served {
  readonly handlers: ControlHandlers;
  /** Without them it only shows. */
  readonly commands?: ControlCommands;
  /** Answers at `/`, to browsers. */
  readonly page?: PageSource;
}

export class ControlService {
  readonly #streams: EventStreams;
  readonly #page: PageServer | undefined;
  readonly #turns = new Turns();
  #dear = 0;
  readonly #turn = () => this.#turns.next();

  constructor(private readonly served: Served) {
    this.#streams = new EventStreams(served.handlers);
    this.#page = served.page && new PageServer(served.page);
  }

  /** Answers; with `mayChange` false commands are refused. */
  handle(request: IncomingMessage, response: ServerResponse, mayChange: boolean): void {
    if (this.#page?.serve(request, response)) return;
    const routed = route(request.method ?? 'GET', request.url ?? '/');
    void this.#respond(routed, request, response, mayChange);
  }

  refuse(answer: Answer, response: ServerResponse): void {
    void send(answer, response, this.#turn);
  }

  /** Who follows events hears that it is the end. */
  close(): void {
    this.#streams.close();
    this.#page?.close();
  }

  async #respond(routed: Routed, request: IncomingMessage, response: ServerResponse, mayChange: boolean) {
    await this.#turn();
    const isDear = 'resource' in routed && routed.resource.isDear === true;
    if (isDear && this.#dear >= MOST_DEAR) return send(BUSY, response, this.#turn);
    if (isDear) this.#dear++;
    await this.#sendAnswer(routed, request, response, mayChange);
    if (isDear) this.#dear--;
  }

  /** Rejects never. */
  async #sendAnswer(routed: Routed, request: IncomingMessage, response: ServerResponse, mayChange: boolean) {
    let answer: Answer;
    try {
      answer = await this.#answer(routed, request, mayChange);
    } catch (error) {
      answer = failure(500, error instanceof Error ? error.message : String(error));
    }
    if (!answer.events || request.method === 'HEAD') return send(answer, response, this.#turn);
    if (this.#streams.full) return send(TOO_MANY, response, this.#turn);
    this.#streams.add(response, answer.events);
  }

  async #answer(routed: Routed, request: IncomingMessage, mayChange: boolean): Promise<Answer> {
    if ('refusal' in routed) return routed.refusal;
    if ('command' in routed) return mayChange ? this.#execute(routed.command, routed.name, request) : READ_ONLY;
    if (hasBody(request)) return NO_BODY;
    if ('document' in routed) return { status: 200, body: openApiDocument() };
    return routed.resource.answer(this.served.handlers, routed.asked);
  }

  async #execute(command: Command, name: string, request: IncomingMessage): Promise<Answer> {
    const { commands } = this.served;
    if (!commands) return READ_ONLY;
    try {
      const body = bodyOf(command, await readBody(request, MOST_BODY));
      return 'refusal' in body ? body.refusal : await command.run(commands, name, body.fields);
    } catch (error) {
      if (error instanceof BodyTooLarge) return failure(413, error.message);
      throw error;
    }
  }
}
