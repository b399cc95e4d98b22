/** Holds evictions in the API server for as long as a story wants: the only way into the milliseconds that one takes. */
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Client } from '@kurator/client';
import { ValidatingWebhookConfiguration } from '@kurator/client/admissionregistration/v1';
import { selfSigned } from '../../../operators/kurator/test/support/checks/certificate.ts';

const name = 'eviction-gate';

/** An admission webhook that says yes, but not before it is let. */
export class EvictionGate implements AsyncDisposable {
  /** The pods whose evictions were asked for, each time one was. */
  readonly asked: string[] = [];
  #isOpen = false;
  #waiting: (() => void)[] = [];
  #close = async () => {};

  /** @param host An address of this machine that the API server reaches. */
  static async close(client: Client, host: string): Promise<EvictionGate> {
    const gate = new EvictionGate();
    const { cert, key } = selfSigned({ address: host });
    const server = createServer({ cert, key }, async (request, response) => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      const { uid, name } = (JSON.parse(body) as { request: { uid: string; name: string } }).request;
      gate.asked.push(name);
      await gate.#opened();
      const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, allowed: true } };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(review));
    });
    await new Promise<void>((resolve) => server.listen(0, host, resolve));
    gate.#close = async () => {
      await client.delete(ValidatingWebhookConfiguration, { name });
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    };
    await client.create(ValidatingWebhookConfiguration, {
      metadata: { name },
      webhooks: [
        {
          name: 'gate.example.com',
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          failurePolicy: 'Fail',
          timeoutSeconds: 30,
          clientConfig: {
            url: `https://${host}:${(server.address() as AddressInfo).port}/`,
            caBundle: Buffer.from(cert).toString('base64'),
          },
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods/eviction'] }],
        },
      ],
    });
    return gate;
  }

  /** Lets everybody through from now on. */
  open(): void {
    this.#isOpen = true;
    for (const go of this.#waiting.splice(0)) go();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.open();
    await this.#close();
  }

  async #opened(): Promise<void> {
    if (this.#isOpen) return;
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}
