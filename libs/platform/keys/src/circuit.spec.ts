import { createCircuit } from './circuit';

function open() {
  const seen: boolean[] = [];
  const time = { now: 0 };
  const circuit = createCircuit({ stopwatch: () => time.now, onChange: (isAway) => void seen.push(isAway) });
  const fail = (times: number) => {
    for (let count = 0; count < times; count += 1) circuit.failed();
  };
  return { circuit, seen, time, fail };
}

describe('a circuit', () => {
  it('leaves a device alone after three failures in a row, and not before', () => {
    const { circuit, seen, fail } = open();
    fail(2);
    circuit.succeeded();
    fail(2);
    expect([circuit.mayTry(), circuit.isOpen(), seen]).toEqual([true, false, []]);
    fail(1);
    expect([circuit.mayTry(), circuit.isOpen(), seen]).toEqual([false, true, [true]]);
  });

  it('lets one caller find out whether the device is back, and the others when it is', () => {
    const { circuit, seen, time, fail } = open();
    fail(3);
    time.now = 1_000;
    expect([circuit.isOpen(), circuit.mayTry(), circuit.mayTry(), circuit.isOpen()]).toEqual([
      false,
      true,
      false,
      true,
    ]);
    circuit.succeeded();
    expect([circuit.mayTry(), circuit.mayTry(), seen]).toEqual([true, true, [true, false]]);
  });

  it('waits twice as long after each attempt that failed, at most half a minute, and says it once', () => {
    const { circuit, seen, time, fail } = open();
    fail(3);
    const pauses = Array.from({ length: 8 }, () => {
      const from = time.now;
      while (!circuit.mayTry()) time.now += 500;
      fail(1);
      return time.now - from;
    });
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
    expect(seen).toEqual([true]);
  });

  it('many calls that fail together lengthen the pause only once', () => {
    const { circuit, time, fail } = open();
    fail(50);
    time.now = 1_000;
    expect(circuit.mayTry()).toBe(true);
  });
});
