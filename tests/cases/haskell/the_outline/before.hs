{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE GADTs, LambdaCase, MultiWayIf #-}

-- | The orders of a small shop.
module Shop
  ( Order (..)
  , Payment (Cash, Card)
  , type (+)
  , add
  , module Data.List
  ) where

import qualified Data.Map as M
import Data.List (nub, sort)
import Prelude hiding (lookup)
import "text" Data.Text (Text)

-- | An order, and what is in it.
data Order a = Order
  { customer :: !String -- ^ who pays
  , orderLines :: [(a, Int)]
    -- ^ the lines,
    -- as they came
  , note, gift :: Maybe Text
  }
  deriving (Show, Eq)

data Payment
  = Cash
  | Card String {-# UNPACK #-} !Int
  | Int :+: ~Int
  deriving stock (Show)
  deriving anyclass Ord via (Sum Int)

data Term a where
  Lit :: Int -> Term Int
  Pair :: { first :: Term a, second :: Term b } -> Term (a, b)

newtype Name = Name { unName :: String }
type Price = Double
type (f :: Type -> Type) ~> g = forall x. f x -> g x
type family Other a = r | r -> a
type family Elem c where
  Elem [e] = e
data family Table k
data instance Table Int = IntTable
type instance Elem Text = Char
type Pure :: Type -> Type
type role Term nominal

-- | How many lines an order may have.
limit :: Int
limit = 0x14

infixl 6 +++

(+++) :: Price -> Price -> Price
a +++ b = a + b

-- | Adds a line.
add :: (Ord a, ?rate :: Int) => Order a -> (a, Int) -> Order a
add order line = order { orderLines = line : orderLines order, gift = Nothing }
{-# INLINE add #-}

total :: [Price] -> Price
total [] = 0.0
total (price : rest)
  | price > 10, Just tax <- lookup price = price * tax + others
  | let small = price, otherwise = negate small - (-1)
  where
    others = total rest

    {-# INLINE others #-}

    unused :: ()
    unused = ()

class (Show a) => Shape a where
  type Size a
  type Size a = Int
  data Kind a
  -- | How large it is.
  area :: a -> Double
  area _ = 0
  default name :: Show a => a -> String
  name = show
  {-# MINIMAL area #-}

class Monad m => Store m k | m -> k, k -> m

instance {-# OVERLAPPING #-} Shape (Order a) where
  area :: Order a -> Double
  area _ = 1
  {-# INLINE area #-}
  zero = 0
  a <+> b = a
  name order@Order { customer, .. } = customer

deriving instance Show (Term a)

run :: IO ()
run = do
  line <- getLine
  let count = 1
      twice = 2 * count
  case line of
    "end" -> putStrLn "done"
    'a' : _ | count > 1 -> pure ()
    _ -> do
      putStrLn ("no: " <> line)
      return ()
  rec again <- pure count
  if count > 1 then run else mapM_ print [1 .. 10]

hard (f x) y = f x (# #)
start = M.do
  one
pairs = (,) <$> \ @k x -> x
small = let one = 1 in one `max` 2
pick = \case
  Just ~x -> x
  Nothing -> (`div` 2)
picks = \cases
  1 2 -> 3
  _ _ -> 4
many = if | limit > 1 -> [x | x <- [1, 2], odd x, let y = x] | otherwise -> []
view (size -> n) !m = (\x y -> x) n m
sections = ((+ 1), (1 +), (,), (.field), order.field)
typed = (5 :: Int, show @Int 5, 'add, ''Order, "a\n", 1.5e3, #label)
query = [sql|
  select 1
|]
quoted = [| 1 + $(splice) |]
patterns = [p| x |]
types = [t| Int |]
decls = [d| f = 1 |]
typedQuote = [|| 1 ||]
unboxed = (# 1, 2 #)
qualified = M.insert 1 M.empty
dependent :: forall a -> a %1 -> '[Int]
dependent = undefined

pattern Tea :: Order a
pattern Tea = Order "tea" [] Nothing Nothing

foreign import ccall unsafe "math.h sin" c_sin :: Double -> Double
foreign export ccall add :: Int
default (Int, Double)
makeLenses ''Order
