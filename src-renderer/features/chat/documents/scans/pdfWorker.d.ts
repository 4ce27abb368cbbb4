declare module 'pdfjs-dist/build/pdf.worker.mjs' {
  /** Connects itself to the port of the worker that loads the module. */
  export const WorkerMessageHandler: unknown
}
