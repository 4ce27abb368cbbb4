/** How long after the Tab key a frame may take the focus, ms. */
const tabMs = 1_000

/**
 * Gives the focus back when a frame takes it although the person neither pointed at the frame nor pressed Tab. A document could otherwise
 * receive what the person writes. Returns the function that ends this.
 */
export function refuseFocus(frame: HTMLIFrameElement): () => void {
  const ended = new AbortController()
  const { signal } = ended
  let pointed = false
  let tabbed = Number.NEGATIVE_INFINITY
  let last: Element | null = document.activeElement === frame ? null : document.activeElement
  const touched = (): boolean => matchMedia('(hover: none)').matches && navigator.userActivation.isActive
  const giveBack = (): void => {
    if (document.activeElement !== frame || pointed || touched() || performance.now() - tabbed < tabMs) return
    if (last instanceof HTMLElement && last.isConnected) last.focus()
    else frame.blur()
  }
  const point = (now: boolean) => (): void => {
    pointed = now
  }
  const press = ({ key }: KeyboardEvent): void => {
    if (key === 'Tab') tabbed = performance.now()
  }
  const remember = ({ target }: FocusEvent): void => {
    if (target !== frame && target instanceof Element) last = target
  }
  frame.addEventListener('pointerenter', point(true), { signal })
  frame.addEventListener('pointerleave', point(false), { signal })
  addEventListener('keydown', press, { signal, capture: true })
  addEventListener('focusin', remember, { signal })
  // The window loses the focus to the frame. The active element changes after this event.
  addEventListener('blur', () => setTimeout(giveBack), { signal })
  return () => ended.abort()
}
