import { Painter, type PaintQuestion } from './paint.ts'

// Colours code off the page's own thread: see `workerLine.ts` for who asks.
const painter = new Painter()
addEventListener('message', (event: MessageEvent<PaintQuestion>) => {
  painter.answer(event.data).then(
    (answer) => postMessage(answer),
    // A grammar that throws is one that can't be used; the block stays plain.
    () => postMessage(null),
  )
})
