import { chromium } from 'playwright-core';

const quiet = ['quic', 'background-networking', 'component-update', 'sync'].map(what => `--disable-${what}`);

export function startBrowser() {
  return chromium.launch({
    executablePath: process.env.STEADFAST_BROWSER ?? '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', ...quiet],
  });
}
