/** The fabric page: what a lab or a daemon shows to a browser. */
import { render } from 'preact';
import { App } from './app.js';
import { applyTheme, provideColours, storedTheme } from './browser/theme.js';
import './style.css';

applyTheme(storedTheme());
provideColours();
render(<App />, document.getElementById('page')!);
