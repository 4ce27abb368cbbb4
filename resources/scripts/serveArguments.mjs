/** Arguments of `serve` with a sandbox on free ports, which prints its addresses as JSON. */
export const serveWithSandbox = (dataDir) => [
  'serve',
  '--json',
  '--sandbox',
  '--web-port',
  '0',
  '--api-port',
  '0',
  '--data-dir',
  dataDir,
]
