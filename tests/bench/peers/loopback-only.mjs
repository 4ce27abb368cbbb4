// Preloaded before a peer whose address can't be configured: it listens on 127.0.0.1 only, and prints its port as the other peers do.
import { Server } from 'node:net'

const { listen } = Server.prototype
Server.prototype.listen = function (...given) {
  const ready = given.findLast((one) => typeof one === 'function')
  return listen.call(this, { port: 0, host: '127.0.0.1' }, () => {
    process.stdout.write(`${JSON.stringify({ port: this.address().port })}\n`)
    ready?.({ address: '127.0.0.1', family: 'IPv4', port: this.address().port })
  })
}
