import type { WebSocket } from 'ws';

/**
 * Pings, and calls `onDead` when no answer comes before the next ping is due: a session may be silent for hours, and
 * only this tells a quiet one from a dead one. It also keeps proxies from closing it. Returns how to stop.
 */
export function keepAlive(socket: WebSocket, interval: number, onDead: () => void): () => void {
  let answered = true;
  const onPong = () => {
    answered = true;
  };
  const timer = setInterval(() => {
    if (!answered) return onDead();
    answered = false;
    socket.ping();
  }, interval);
  socket.on('pong', onPong);
  return () => {
    clearInterval(timer);
    socket.off('pong', onPong);
  };
}
