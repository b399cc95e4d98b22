import { parentPort, workerData } from 'node:worker_threads';

parentPort?.postMessage(`the thread says ${workerData}`);
