/** How a report looks, on light and dark paper. The eight colours are those of the pictures of fabrics. */
import { wayColours } from '../../picture/style.js';
import { HEAT_RULES, heatColours } from './heat.js';

const paper = (dark: boolean) =>
  dark
    ? '--paper:#12161c;--card:#181e26;--ink:#e8ecf1;--quiet:#9aa5b1;--line:#2b333d;--accent:#4fa8e0;'
    : '--paper:#f6f8fa;--card:#ffffff;--ink:#1d232b;--quiet:#5c6672;--line:#dfe4ea;--accent:#0072b2;';

const colours = (dark: boolean) =>
  wayColours(dark)
    .map((value, index) => `--c${index}:${value};`)
    .join('') + heatColours(dark);

const series = Array.from(
  { length: 8 },
  (_, index) =>
    `.series.c${index}{stroke:var(--c${index})}.bar.c${index},.band.c${index}{fill:var(--c${index})}.swatch.c${index}{background:var(--c${index})}`,
);

export const REPORT_STYLE = [
  `:root{color-scheme:light dark;${paper(false)}${colours(false)}}`,
  `@media (prefers-color-scheme:dark){:root{${paper(true)}${colours(true)}}}`,
  '*{box-sizing:border-box}body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.55 system-ui,-apple-system,"Segoe UI","DejaVu Sans",sans-serif}',
  'main{max-width:1480px;margin:0 auto;padding:28px 24px 60px}h1{font-size:27px;line-height:1.2;margin:0 0 6px}h2{font-size:19px;margin:40px 0 12px}h3{font-size:15px;margin:0 0 6px}',
  'p{margin:4px 0;max-width:100ch}.quiet{color:var(--quiet);fill:var(--quiet)}.lead{font-size:17px;margin:18px 0 4px;padding:12px 16px;border-left:4px solid var(--accent);background:var(--card);border-radius:0 6px 6px 0}',
  '.schemes{position:sticky;top:0;z-index:1;display:flex;flex-wrap:wrap;gap:6px 8px;margin:18px -24px 0;padding:10px 24px;border:0;background:var(--paper);border-bottom:1px solid var(--line)}',
  '.schemes legend{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}',
  '.schemes label{display:inline-flex;align-items:center;gap:6px;padding:3px 10px;border:1px solid var(--line);border-radius:99px;background:var(--card);font-size:13.5px;cursor:pointer}',
  '.schemes label:has(input:not(:checked)){opacity:.5}.schemes input{margin:0;accent-color:var(--quiet)}',
  ':focus-visible{outline:2px solid var(--accent);outline-offset:2px}',
  '.swatch{display:inline-block;width:18px;height:5px;border-radius:3px;flex:none}.swatch.dashed{background-image:repeating-linear-gradient(90deg,transparent 0 5px,var(--card) 5px 8px)}',
  '.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,430px),1fr));gap:16px}.maps{grid-template-columns:1fr}',
  '.card{margin:0;min-width:0;padding:14px 16px;background:var(--card);border:1px solid var(--line);border-radius:8px}',
  '.card h3{display:flex;align-items:center;gap:8px}.card ul{margin:6px 0 0;padding-left:18px}.card li{margin:4px 0}',
  '.pictures{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,390px),1fr));gap:14px 22px;align-items:start}',
  '.key{width:300px;max-width:100%;display:block;font-size:11.5px;margin:6px 0 12px -10px}',
  '.wide{overflow-x:auto;margin:8px 0}table{border-collapse:collapse;font-size:13.5px;font-variant-numeric:tabular-nums}',
  'th,td{padding:5px 12px;border-bottom:1px solid var(--line);text-align:right;white-space:nowrap}th:first-child,td:first-child{text-align:left;position:sticky;left:0;background:var(--card)}thead th{color:var(--quiet);font-weight:600}tbody th{font-weight:600}',
  '.best{color:var(--accent);font-weight:650}details{margin:10px 0;padding:4px 16px;background:var(--card);border:1px solid var(--line);border-radius:8px}summary{cursor:pointer;padding:7px 0;font-weight:600}summary span{font-weight:400}',
  '.plot{display:block;width:100%;height:auto;font-size:11.5px}.plot text{fill:var(--ink)}.plot .quiet{fill:var(--quiet)}.plot .head{font-size:14px;font-weight:600}.plot .part{font-size:12px;font-weight:600}.plot .small{font-size:10px}',
  '.grid{stroke:var(--line);stroke-width:1}.series{fill:none;stroke-width:2;stroke-linejoin:round}.series.dashed{stroke-dasharray:6 4}.band{fill-opacity:.13;stroke:none}',
  '.line:hover .series{stroke-width:4}.whisker{stroke:var(--ink);stroke-width:1.3;fill:none}.link{stroke-linecap:round}.node{fill:var(--card);stroke:var(--quiet)}.cell:hover{stroke:var(--ink);stroke-width:1.5}.link:hover{stroke-width:5}',
  '@media (max-width:600px){main{padding:18px 12px 40px}.schemes{margin:14px -12px 0;padding:8px 12px;position:static}.card{padding:10px}}',
  '@media print{.schemes{position:static}.card,details{break-inside:avoid}}',
  HEAT_RULES,
  ...series,
].join('');

/** Schemes that are not chosen are not shown: what is theirs has their class. */
export function hidingRules(schemes: number): string {
  return Array.from(
    { length: schemes },
    (_, index) => `main:has(#show${index}:not(:checked)) .s${index}{display:none}`,
  ).join('');
}
