import { Painter, type PaintQuestion } from './paint.ts'

// Colours code in a worker. `workerQueue.ts` sends the requests.
const painter = new Painter()
addEventListener('message', (event: MessageEvent<PaintQuestion>) => {
  painter.answer(event.data).then(
    (answer) => postMessage(answer),
    // A grammar that throws is unusable: the block stays plain.
    () => postMessage(null),
  )
})
