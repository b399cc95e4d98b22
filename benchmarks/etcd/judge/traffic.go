package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"
	"golang.org/x/time/rate"

	"go.etcd.io/etcd/tests/v3/robustness/client"
	"go.etcd.io/etcd/tests/v3/robustness/identity"
	"go.etcd.io/etcd/tests/v3/robustness/report"
	robust "go.etcd.io/etcd/tests/v3/robustness/traffic"
)

// patience is how long a request may take; on two cores that also run Kubernetes, 200 ms would often be too short.
const patience = time.Second

// traffic is etcd's own, under way.
type traffic struct {
	endpoints []string
	ctx       context.Context
	cancel    context.CancelFunc
	began     time.Time
	load      *client.ClientSet
	watched   *client.ClientSet
	finish    chan struct{}
	loops     sync.WaitGroup
	revision  chan int64
	collected chan error
}

// history is what was recorded.
type history struct {
	reports []report.ClientReport
	began   time.Time
}

func startTraffic(endpoints []string, qps float64) (*traffic, error) {
	robust.RequestTimeout = patience
	lg := zap.NewNop()
	ctx, cancel := context.WithCancel(context.Background())
	ids := identity.NewIDProvider()
	began := time.Now()
	t := &traffic{
		endpoints: endpoints, ctx: ctx, cancel: cancel, began: began,
		load: client.NewSet(ids, began), watched: client.NewSet(ids, began),
		finish: make(chan struct{}), revision: make(chan int64, 1), collected: make(chan error, 1),
	}
	if err := robust.CheckEmptyDatabaseAtStart(ctx, lg, endpoints, t.load); err != nil {
		return nil, err
	}
	limiter := rate.NewLimiter(rate.Limit(qps), max(1, int(qps/10)))
	store := robust.NewKeyStore(10, "key")
	profile := &robust.KeyValue{MemberClientCount: 3, ClusterClientCount: 2, MaxNonUniqueRequestConcurrency: 3}
	err := robust.SimulateKeyValueTraffic(ctx, &t.loops, profile, endpoints, t.load, robust.EtcdPutDeleteLease, robust.RunTrafficLoopParam{
		QPSLimiter:                         limiter,
		IDs:                                ids,
		LeaseIDStorage:                     identity.NewLeaseIDStorage(),
		NonUniqueRequestConcurrencyLimiter: robust.NewConcurrencyLimiter(profile.MaxNonUniqueRequestConcurrency),
		KeyStore:                           store,
		Storage:                            robust.NewKubernetesStorage(),
		Finish:                             t.finish,
	})
	if err != nil {
		return nil, err
	}
	watch := &robust.Watch{MemberClientCount: 3, ClusterClientCount: 1, RevisionOffsetRange: robust.Range{Min: -100, Max: 100}}
	err = robust.SimulateWatchTraffic(ctx, &t.loops, watch, endpoints, t.load, robust.EtcdPutDeleteLease, robust.RunWatchLoopParam{
		Config: *watch, QPSLimiter: limiter, KeyStore: store, Storage: robust.NewKubernetesStorage(), Finish: t.finish, Logger: lg,
	})
	if err != nil {
		return nil, err
	}
	go func() {
		t.collected <- client.CollectClusterWatchEvents(ctx, client.CollectClusterWatchEventsParam{
			Lg: lg, Endpoints: endpoints, MaxRevisionChan: t.revision, ClientSet: t.watched,
		})
	}()
	return t, nil
}

// end waits until every watch has seen all that was written.
func (t *traffic) end() (history, error) {
	defer t.cancel()
	close(t.finish)
	t.loops.Wait()
	if err := t.tombstone(); err != nil {
		return history{}, err
	}
	t.revision <- report.OperationsMaxRevision(t.load.Reports())
	close(t.revision)
	select {
	case err := <-t.collected:
		if err != nil {
			return history{}, fmt.Errorf("a watch of everything broke: %w", err)
		}
	case <-time.After(30 * time.Second):
		return history{}, fmt.Errorf("a watch has not seen all that was written")
	}
	return history{reports: slices.Concat(t.load.Reports(), t.watched.Reports()), began: t.began}, nil
}

// tombstone makes the last operation one that succeeded: the validator takes no history without.
func (t *traffic) tombstone() (err error) {
	last, err := t.load.NewClient(t.endpoints)
	if err != nil {
		return err
	}
	defer last.Close()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); {
		ctx, cancel := context.WithTimeout(t.ctx, 2*patience)
		_, err = last.Put(ctx, "tombstone", "true")
		cancel()
		if err == nil {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return fmt.Errorf("the last write did not succeed: %w", err)
}
