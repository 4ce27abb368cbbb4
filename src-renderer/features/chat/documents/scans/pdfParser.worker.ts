// The parser of PDF.js. It decodes pictures of hostile files, in a thread that ends with the worker of the pages. It connects itself to its
// port; the name is used, so that the bundler does not remove the module.
import { WorkerMessageHandler } from 'pdfjs-dist/build/pdf.worker.mjs'

if (typeof WorkerMessageHandler !== 'function') throw new Error('The parser of PDF.js did not load.')
