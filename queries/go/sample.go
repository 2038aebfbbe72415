// Package shop sells products: carts, prices and orders.
package shop

import (
	"errors"
	"fmt"
	. "math"
	_ "net/http/pprof"
	str "strings"
	"sync"
)

import "time"

// Cents is an amount of money.
type Cents = int64

const FreeShipping Cents = 50_00

const (
	Open Status = iota
	Paid
	Sent
)

var (
	errFull  = errors.New("the cart is full")
	shelf    map[string]int
	weekdays = [...]string{"monday", "tuesday", "friday"}
)

var ordersToday int

type (
	Status byte

	// Product is what is sold, and for how much.
	Product struct {
		Name  string `json:"name"`
		Price Cents  `json:"price"`
		Box   [3]float64
		Tags  []string
	}

	Priced interface {
		fmt.Stringer
		Total() Cents
	}

	Number interface {
		~int | ~int64 | float64
	}

	Rule func(price Cents) (Cents, error)
)

type Cart[T Priced] struct {
	sync.Mutex
	Items []T
	Note  *string
	queue (chan T)
	rules map[string]Rule
	done  <-chan bool
}

func NewCart[T Priced](items ...T) *Cart[T] {
	return &Cart[T]{Items: items, rules: map[string]Rule{}}
}

func (c *Cart[T]) Total() (sum Cents) {
	for _, item := range c.Items {
		sum += item.Total()
	}
	return
}

func (c *Cart[T]) Add(item T, count int) error {
	c.Lock()
	defer c.Unlock()
	if len(c.Items)+count > 20 {
		return errFull
	} else if count < 0 {
		count = -count
	}
	for i := 0; i < count; i++ {
		c.Items = append(c.Items, item)
	}
	return nil
}

func Sum[K comparable, V Number](prices map[K]V) V {
	var total V
	for _, price := range prices {
		total += price
	}
	return total
}

func describe(payment any) string {
	switch paid := payment.(type) {
	case nil:
		return "nothing"
	case int, Cents:
		return fmt.Sprintf("%d cents", paid)
	case []string:
		return str.Join(paid[1:], ", ")
	default:
		return "unknown"
	}
}

func shipping(weight int, abroad bool) Cents {
	price := Cents(3_90)
	switch {
	case weight == 0:
		return 0
	case abroad:
		price *= 2
		fallthrough
	case weight > 0x1f4:
		price += 1_00
	}
	return price
}

func restock(wanted int) (found bool) {
	place := 0
search:
	for name, stock := range shelf {
		switch {
		case stock >= wanted:
			found = true
			break search
		case name == "":
			continue search
		}
		place++
	}
	if !found && place > 3 {
		goto empty
	}
	return true
empty:
	ordersToday--
	return false
}

func send(orders chan<- Product, done chan bool) {
	go func() {
		orders <- Product{"tea", 4_50, [3]float64{1, 2.5, 3}, nil}
		done <- true
	}()
	select {
	case ok := <-done:
		fmt.Println("sent", ok)
	case <-time.After(2 * time.Second):
		fmt.Println("too late")
	default:
		;
	}
}

func Main() {
	var text = `Every cup
is a small break.`
	letter, half := 'x', Sqrt(.25)
	price, ok := any(half).(float64)
	sum := Sum[string, float64]
	wave := 3i
	prices := map[string]float64{"tea": 4.5, "cup\t": (price + 1) * 2}
	rows := [][]int{{1, 2}, {3}}
	asBytes := append([]byte("tea"), text...)
	pick := Sum[string, int]
	fmt.Println(text, letter, ok, sum(prices), wave, rows[0][1:2], asBytes, pick)
}
