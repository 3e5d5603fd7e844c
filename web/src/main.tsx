import { render } from 'preact';
import { App } from './app';
import { startWatching } from './node/watch';

startWatching();
render(<App />, document.getElementById('app')!);
