/** The worker exceeded its time limit or failed. */
export class WorkerFailed extends Error {
  override name = 'WorkerFailed'
}

interface Job<Question, Answer> {
  question: Question
  limitMs: number
  resolve: (answer: Answer) => void
  reject: (failure: WorkerFailed) => void
}

/** Number of consecutive workers without an answer, after which the window starts no further workers. */
const lastTry = 4

/**
 * Sends requests to one worker, one after another. A late worker is terminated, because nothing else can interrupt its work (for example a
 * regular expression that backtracks endlessly). The next request gets a new worker without any state: `generation` shows the change.
 */
export class WorkerLine<Question, Answer> {
  generation = 0
  readonly #start: () => Worker
  #worker: Worker | null = null
  #waiting: Job<Question, Answer>[] = []
  #now: Job<Question, Answer> | null = null
  #timer: ReturnType<typeof setTimeout> | undefined
  #failures = 0

  constructor(start: () => Worker) {
    this.#start = start
  }

  /** @throws WorkerFailed after `limitMs` of work, without the time in the queue, or when the worker fails */
  ask(question: Question, limitMs: number): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ question, limitMs, resolve, reject })
      this.#next()
    })
  }

  #next(): void {
    if (this.#now) return
    const job = this.#waiting.shift()
    if (!job) return
    if (this.#failures >= lastTry) {
      job.reject(new WorkerFailed('The worker cannot be started.'))
      this.#next()
      return
    }
    this.#now = job
    this.#timer = setTimeout(() => this.#fail(new WorkerFailed('The worker took too long.')), job.limitMs)
    this.#worker ??= this.#hire()
    this.#worker.postMessage(job.question)
  }

  #hire(): Worker {
    const worker = this.#start()
    worker.addEventListener('message', (event: MessageEvent<Answer>) => {
      const job = this.#now
      clearTimeout(this.#timer)
      this.#now = null
      this.#failures = 0
      job?.resolve(event.data)
      this.#next()
    })
    worker.addEventListener('error', () => this.#fail(new WorkerFailed('The worker broke.')))
    return worker
  }

  #fail(failure: WorkerFailed): void {
    const job = this.#now
    clearTimeout(this.#timer)
    this.#worker?.terminate()
    this.#worker = null
    this.#now = null
    this.#failures++
    this.generation++
    job?.reject(failure)
    this.#next()
  }
}
