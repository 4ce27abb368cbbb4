/** How long after the Tab key a frame may take the focus, ms. */
const tabMs = 1_000
/** After this time without a key press, a change of focus may come from a click in the frame, ms. */
const pauseMs = 2_000

/**
 * Gives the focus back when a frame takes it although the person neither clicked in the frame nor pressed Tab. A document could otherwise
 * receive what the person writes. A click in the frame is not reported here, but it activates this window, and so does a key. Returns the
 * function that ends this.
 */
export function refuseFocus(frame: HTMLIFrameElement): () => void {
  const ended = new AbortController()
  const { signal } = ended
  let pointed = false
  let tabbed = Number.NEGATIVE_INFINITY
  let typed = Number.NEGATIVE_INFINITY
  let last: Element | null = document.activeElement === frame ? null : document.activeElement
  const clicked = (): boolean =>
    (pointed || matchMedia('(hover: none)').matches) &&
    navigator.userActivation.isActive &&
    performance.now() - typed > pauseMs
  const giveBack = (): void => {
    const { activeElement } = document
    // A document that focuses its parent leaves the body focused.
    if (activeElement !== frame && activeElement !== document.body) return
    if (last instanceof HTMLElement && last.isConnected) last.focus()
    else frame.blur()
  }
  const point = (now: boolean) => (): void => {
    pointed = now
  }
  const press = ({ key }: KeyboardEvent): void => {
    if (key === 'Tab') tabbed = performance.now()
    else typed = performance.now()
  }
  const remember = ({ target }: FocusEvent): void => {
    if (target !== frame && target instanceof Element) last = target
  }
  frame.addEventListener('pointerenter', point(true), { signal })
  frame.addEventListener('pointerleave', point(false), { signal })
  addEventListener('keydown', press, { signal, capture: true })
  addEventListener('focusin', remember, { signal })
  const leave = (): void => {
    const isWanted = clicked() || performance.now() - tabbed < tabMs
    // After this event, because the frame does not have the focus yet.
    if (document.activeElement === frame && !isWanted) setTimeout(giveBack)
  }
  addEventListener('blur', leave, { signal })
  return () => ended.abort()
}
