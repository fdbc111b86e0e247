/** `heddle show fabric`: the matrix prefix x uplink, in blocks of uplinks when they do not fit side by side. */
import type { Fabric, FabricCell, FabricUplink } from '../../../edge/control/schema.js';
import { FABRIC_LEGEND, matrixMark } from './fabric-marks.js';
import type { Paint } from './paint.js';
import { type Cell, type Column, columnWidths, type Row, type StyledCell, table } from './table.js';
import { colourText } from './words.js';

/** `width` in columns. */
export function renderFabric(fabric: Fabric, paint: Paint, width: number): string[] {
  if (fabric.uplinks.length === 0) return ['no fabric interface is configured'];
  const lines = renderMatrix(fabric, { paint, width }).flatMap((block) => ['', ...block]);
  const empty = fabric.rows.length === 0 ? ['', 'no prefix was learned yet'] : [];
  return [paint.dim(FABRIC_LEGEND), ...lines, ...empty];
}

export const WRONG = '✗';

export interface MatrixLayout {
  readonly paint: Paint;
  /** Columns. */
  readonly width: number;
  /** Cells to mark with WRONG. */
  readonly isWrong?: (prefix: string, uplink: string) => boolean;
}

/** Without the legend: a block of lines for as many uplinks as fit side by side. */
export function renderMatrix(fabric: Fabric, layout: MatrixLayout): string[][] {
  return uplinkBlocks(fabric, layout.width).map((block) => renderBlock(fabric, block, layout));
}

/** Indices of the uplinks that share a block. */
function uplinkBlocks(fabric: Fabric, width: number): number[][] {
  const [prefixWidth = 0, colourWidth = 0] = columnWidths(2, [
    ['PREFIX', 'COLOUR'],
    ...fabric.rows.map((row) => [row.prefix, colourText(row.colour)]),
  ]);
  const uplinkWidth =
    2 + Math.max(...fabric.uplinks.map((uplink) => Math.max(uplink.interface.length, under(uplink).length, 8)));
  const room = Math.max(1, Math.floor((width - prefixWidth - 2 - colourWidth) / uplinkWidth));
  const blocks: number[][] = [];
  for (const index of fabric.uplinks.keys()) {
    if (index % room === 0) blocks.push([]);
    blocks.at(-1)!.push(index);
  }
  return blocks;
}

function renderBlock(fabric: Fabric, block: readonly number[], layout: MatrixLayout): string[] {
  const { paint, isWrong = () => false } = layout;
  const uplinks = block.map((index) => fabric.uplinks[index]!);
  const columns: Column[] = [
    { title: 'PREFIX' },
    { title: 'COLOUR' },
    ...uplinks.map((uplink) => ({ title: { text: uplink.interface, style: paint.fabric(uplink.colour) } })),
  ];
  const second: Row = { cells: ['', '', ...uplinks.map((uplink) => underCell(uplink, paint))] };
  const rows = fabric.rows.map((row) => {
    const style = paint.fabric(row.colour);
    return {
      cells: [
        row.prefix,
        { text: colourText(row.colour), style },
        ...block.map((index) => {
          const cell = matrixCell(row.cells[index], paint);
          return isWrong(row.prefix, fabric.uplinks[index]!.interface) ? marked(cell, paint) : cell;
        }),
      ],
    };
  });
  return table(columns, [second, ...rows], paint);
}

/** Below the uplink's name: its colour, or that it is down. */
function under(uplink: FabricUplink): string {
  return uplink.up ? colourText(uplink.colour) : 'down';
}

function underCell(uplink: FabricUplink, paint: Paint): Cell {
  return { text: under(uplink), style: uplink.up ? paint.fabric(uplink.colour) : paint.bad };
}

function marked({ text }: StyledCell, paint: Paint): Cell {
  return { text: `${text} ${WRONG}`.trim(), style: paint.bad };
}

function matrixCell(cell: FabricCell | undefined, paint: Paint): StyledCell {
  if (cell === undefined) return { text: '', style: paint.dim };
  const aigp = cell.aigp === null ? '' : ` (${cell.aigp})`;
  const style = cell.state === 'preferred' ? paint.fabric(cell.colour) : paint.dim;
  return { text: `${matrixMark(cell)}${aigp}`, style };
}
