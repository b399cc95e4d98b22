import { describe, expect, it } from 'vitest';
import { bareHole, blockHole, templateOf, textHole } from './holes.ts';

describe('a manifest with holes', () => {
  it('has expressions of Helm in their places', () => {
    const object = {
      metadata: { name: textHole('.Release.Name'), labels: blockHole('.Values.labels') },
      spec: { replicas: bareHole('int .Values.replicas'), env: [{ name: 'A' }, blockHole('.Values.env')] },
    };
    expect(templateOf(object)).toBe(`metadata:
  name: {{ .Release.Name | quote }}
  {{- with .Values.labels }}
  labels:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  replicas: {{ int .Values.replicas }}
  env:
    - name: A
    {{- with .Values.env }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
`);
  });

  it('keeps quotes in expressions, and braces that are meant as text', () => {
    expect(templateOf({ image: textHole('include "image" .'), text: 'about {{ $labels.pod }}' })).toBe(
      'image: {{ include "image" . | quote }}\ntext: about {{ "{{" }} $labels.pod }}\n',
    );
  });
});
